"""`xladoctor scan`: diagnose a command, a log or a run folder."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click
import typer
import typer.core

from xladoctor.cli import options
from xladoctor.cli.output import Output
from xladoctor.errors import XladoctorError

if TYPE_CHECKING:
    from xladoctor.diagnosis.model import Diagnosis

_COMMAND = "xladoctor.command"

HELP = """Diagnose a run: a command to run, saved output, or a run folder.

With -- the rest of the line is a command. It is run as it stands, with recording in it; its output passes
through, and what it did is kept in a run folder. Without --, each LOG is the saved output of a run (also .gz
and .zst; - is standard input), and RUN_DIR the folder of an earlier scan."""

EPILOG = """\b
Examples:
  xladoctor scan -- python train.py --epochs 2
  xladoctor scan --format json --output diagnosis.json -- python train.py
  xladoctor scan train.log
  python train.py 2>&1 | xladoctor scan -
  xladoctor scan xladoctor-runs/20260106T101500-3f2a --verbose

Exit status: 0 nothing wrong, 1 findings at error level (also where the command itself ended with 0), 2 wrong
usage or unreadable input, 3 the command could not be run. --exit-code target hands on the command's own."""


class ScanCommand(typer.core.TyperCommand):
    """Takes everything after the first `--` as the command, whatever it looks like."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parses only what stands before the first `--`."""
        if "--" in args:
            at = args.index("--")
            ctx.meta[_COMMAND] = tuple(args[at + 1 :])
            args = args[:at]
        return super().parse_args(ctx, args)


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("scan", cls=ScanCommand, help=HELP, epilog=EPILOG)(scan)


def scan(
    ctx: typer.Context,
    targets: Annotated[
        list[str] | None,
        typer.Argument(metavar="[LOG... | RUN_DIR | - | -- CMD...]", show_default=False, help="What to diagnose."),
    ] = None,
    format: options.Format = None,
    output: options.Output = None,
    force: options.Force = False,
    verbose: options.Verbose = False,
    quiet: options.Quiet = False,
    color: options.Color = "auto",
    run_dir: Annotated[
        Path | None,
        typer.Option(
            "--run-dir",
            metavar="DIR",
            show_default=False,
            help="Where the run folder of a command goes; DIR must not exist or be empty. Without it: "
            "xladoctor-runs/<time>-<id>.",
        ),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option("--timeout", metavar="SECONDS", show_default=False, help="End the command after SECONDS."),
    ] = None,
    python: Annotated[
        str | None,
        typer.Option(
            "--python",
            metavar="PATH",
            show_default=False,
            help="The command's interpreter, where it cannot be seen.",
        ),
    ] = None,
    exit_code: Annotated[
        str,
        typer.Option(
            "--exit-code",
            click_type=options.Choice(("doctor", "target")),
            metavar="WHOSE",
            help="doctor, or target to end as the command did (for SLURM and CI).",
        ),
    ] = "doctor",
    no_probes: Annotated[bool, typer.Option("--no-probes", help="Run the command without recording in it.")] = False,
    no_replay: Annotated[
        bool, typer.Option("--no-replay", help="Start no worker afterwards: no run-time shapes.")
    ] = False,
) -> int:
    """Sees what is to be scanned, has it diagnosed, and shows the diagnosis."""
    command: tuple[str, ...] | None = ctx.meta.get(_COMMAND)
    if verbose and quiet:
        raise XladoctorError("--verbose and --quiet exclude each other")
    if timeout is not None and not (math.isfinite(timeout) and timeout > 0):
        raise XladoctorError(f"--timeout {timeout:g}: give a number of seconds above 0")
    target = Output.of(format, output, force, color)
    if command is None:
        _only_for_commands(ctx)
        diagnosis, folder = _diagnose(targets or [])
        return show(diagnosis, target, verbose=verbose, quiet=quiet, run_dir=folder)
    if targets:
        raise XladoctorError(
            f"give either logs ({targets[0]}) or a command after --, not both",
            hint="Options of the command itself stand after the --.",
        )
    if not command:
        raise XladoctorError("there is no command after --", hint="For example: xladoctor scan -- python train.py")

    from xladoctor.session import ScanOptions, scan_command

    keep_stdout_clean = target.to_stdout and target.format != "console"
    result = scan_command(
        command,
        ScanOptions(
            run_dir=run_dir,
            timeout=timeout,
            python=python,
            probes=not no_probes,
            replay=not no_replay,
            passthrough="stderr" if keep_stdout_clean else "stdout",
            quiet=quiet,
        ),
    )
    if target.to_stdout and target.format == "console":
        # Apart from what the command printed last.
        target.write("\n")
    status = show(
        result.diagnosis,
        target,
        verbose=verbose,
        quiet=quiet,
        run_dir=_from_here(result.run_dir),
        target_status=result.target_status,
    )
    return shell_status(result.target_status) if exit_code == "target" else status


def show(diagnosis: Diagnosis, output: Output, **view: Any) -> int:
    """Renders the diagnosis to its destination and returns the exit status that it means."""
    from xladoctor.report import View, render

    page = output.page() if output.format == "console" else None
    output.write(render(diagnosis, output.format, page, View(**view)))
    return diagnosis.exit_code


def shell_status(status: int) -> int:
    """A process status as a shell tells it: 128 and the signal's number for a process that a signal ended."""
    return 128 - status if status < 0 else status


def _from_here(folder: Path) -> str:
    """The path as a person would type it: relative where it lies below the current folder."""
    here = Path.cwd()
    return str(folder.relative_to(here) if folder.is_relative_to(here) else folder)


def _diagnose(targets: list[str]) -> tuple[Diagnosis, str | None]:
    from xladoctor.cli import inputs

    folder = inputs.run_folder(targets)
    if folder is not None:
        from xladoctor.session import scan_run

        return scan_run(folder), str(folder)
    paths = inputs.logs(targets)
    from xladoctor.session import scan_logs

    return scan_logs(paths), None


def _only_for_commands(ctx: typer.Context) -> None:
    for name in ("run_dir", "timeout", "python", "exit_code", "no_probes", "no_replay"):
        if ctx.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE:
            option = "--" + name.replace("_", "-")
            raise XladoctorError(
                f"{option} is for a command, and there is none",
                hint="A command stands after --, for example: xladoctor scan "
                f"{option}{'' if name.startswith('no_') else ' ...'} -- python train.py",
            )
