"""`xladoctor scan`: diagnose a command, a log or a run folder."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from xladoctor import descriptors
from xladoctor.cli import command, inputs, options
from xladoctor.cli.output import Output, PipeClosed
from xladoctor.cli.progress import Line
from xladoctor.errors import XladoctorError

if TYPE_CHECKING:
    from xladoctor.model.diagnosis import Diagnosis
    from xladoctor.model.survey import Target

HELP = """Diagnose a run: a command to run, saved output, or a run folder; or many runs at once.

With -- the rest of the line is a command. It is run as it stands, with recording in it; its output passes
through, and what it did is kept in a run folder. Without --, each LOG is the saved output of a run (also .gz
and .zst; - is standard input), and RUN_DIR the folder of an earlier scan. Several of them, or a folder of such,
give a table of the root causes over all runs, newest first."""

EPILOG = """\b
Examples:
  xladoctor scan -- python train.py --epochs 2
  xladoctor scan --format json --output diagnosis.json -- python train.py
  xladoctor scan train.log
  python train.py 2>&1 | xladoctor scan -
  xladoctor scan --follow train.log
  xladoctor scan xladoctor-runs/20260106T101500-3f2a --verbose
  xladoctor scan runs/ old.log --format csv --output causes.csv
  xladoctor scan --one-run console.log rank0.log rank1.log

Exit status: 0 nothing wrong, 1 findings at error level (also where the command itself ended with 0), 2 wrong
usage or unreadable input, 3 the command could not be run. --exit-code target hands on the command's own."""


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("scan", cls=command.RunsCommand, help=HELP, epilog=EPILOG)(scan)


def scan(
    ctx: typer.Context,
    targets: Annotated[
        list[str] | None,
        typer.Argument(metavar="[LOG... | FOLDER... | - | -- CMD...]", show_default=False, help="What to diagnose."),
    ] = None,
    format: options.Format = None,
    output: options.Output = None,
    force: options.Force = False,
    verbose: options.Verbose = False,
    quiet: options.Quiet = False,
    color: options.Color = "auto",
    run_dir: command.RunDir = None,
    timeout: command.Timeout = None,
    python: command.Python = None,
    flip: command.Flip = None,
    probes: command.Probes = None,
    capture: command.Capture = None,
    max_size: command.MaxSize = "1G",
    check_budget: command.CheckBudget = None,
    try_edits: command.TryEdits = False,
    edit_budget: command.EditBudget = 120.0,
    write_patch: command.WritePatch = None,
    exit_code: Annotated[
        str,
        typer.Option(
            "--exit-code",
            click_type=options.Choice(("doctor", "target")),
            metavar="WHOSE",
            help="doctor, or target to end as the command did (for SLURM and CI).",
        ),
    ] = "doctor",
    one_run: Annotated[
        bool, typer.Option("--one-run", help="All logs are of one run (its ranks, its two streams): one diagnosis.")
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", min=1, metavar="N", show_default=False, help="How many processes read many runs at once."
        ),
    ] = None,
    follow: Annotated[
        bool,
        typer.Option(
            "--follow",
            "-F",
            help="Read the log while it is written (rotated and emptied logs too), tell findings as they come, and "
            "end with the diagnosis at Ctrl-C, at --timeout, or at the end of standard input.",
        ),
    ] = False,
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Try remedies on the call that failed (of CMD or RUN_DIR); tell what they do."),
    ] = False,
    no_probes: Annotated[bool, typer.Option("--no-probes", help="Run the command without recording in it.")] = False,
    no_replay: Annotated[
        bool, typer.Option("--no-replay", help="Start no worker afterwards: no run-time shapes.")
    ] = False,
) -> int:
    """Sees what is to be scanned, has it diagnosed, and shows the diagnosis."""
    command.agree(verbose, quiet, timeout)
    target = Output.of(format, output, force, color)
    program = command.given(ctx)
    if program is None:
        commands = ["run_dir", "python", "flip", "probes", "capture", "max_size", "exit_code", "no_probes", "no_replay"]
        commands += ["check_budget", "try_edits", "edit_budget", "write_patch"]
        command.only_for_commands(ctx, *commands, *(() if follow else ("timeout",)))
        if follow:
            from xladoctor.cli.follow import follow as followed

            return show(followed(targets or [], target, timeout, quiet), target, verbose=verbose, quiet=quiet)
        many = None if one_run or verify else inputs.runs(targets or [])
        if many is not None:
            return _survey(*many, target, jobs, verbose=verbose, quiet=quiet)
        if verify:
            _verify(targets or [], quiet)
        diagnosis, folder = _diagnose(targets or [], one_run)
        return show(diagnosis, target, verbose=verbose, quiet=quiet, run_dir=folder)
    command.checked(ctx, program, targets, "logs")
    command.only_for_logs(ctx, "one_run", "jobs", "follow")

    from xladoctor.commands.scan import ScanOptions, scan_command

    keep_stdout_clean = target.to_stdout and target.format != "console"
    result = scan_command(
        program,
        ScanOptions(
            run_dir=run_dir,
            timeout=timeout,
            python=python,
            probes=not no_probes,
            replay=not no_replay,
            passthrough="stderr" if keep_stdout_clean else "stdout",
            quiet=quiet,
            flip=tuple(flip or ()),
            only=command.recorders(probes),
            capture=capture,
            max_size=command.max_size(max_size),
            verify=verify,
            check_budget=check_budget,
            edit_budget=edit_budget if try_edits or write_patch is not None else None,
        ),
    )
    if write_patch is not None:
        _write_patch(write_patch, result.diagnosis)
    folder = command.from_here(result.run_dir)
    try:
        if target.to_stdout and target.format == "console":
            # Apart from what the command printed last.
            target.write("\n")
        seen = {"run_dir": folder, "target_status": result.target_status}
        status = show(result.diagnosis, target, verbose=verbose, quiet=quiet, **seen)
    except PipeClosed:
        if exit_code != "target":
            raise
        # Nobody reads the report, which is in the run folder; the job ends as its program did.
        descriptors.drop_stdout()
    if exit_code == "target":
        return shell_status(result.target_status)
    return 130 if result.interrupted and status < 2 else status


def show(diagnosis: Diagnosis, output: Output, **view: Any) -> int:
    """Renders the diagnosis to its destination and returns the exit status that it means."""
    from xladoctor import excerpts
    from xladoctor.report import View, render

    page = output.page() if output.format == "console" else None
    known = excerpts.of(diagnosis, view.get("run_dir"))
    output.write(render(diagnosis, output.format, page, View(**view, excerpts=known)))
    return diagnosis.exit_code


def _write_patch(file: Path, diagnosis: Diagnosis) -> None:
    """Write the first edit with which the program ran to a new file, or say why not. Nothing is replaced."""
    root = diagnosis.root
    edits = root.details.get("edits", ()) if root is not None else ()
    diff = next((str(edit["diff"]) for edit in edits if edit["result"] == "ran"), None)
    if diff is None:
        sys.stderr.write(f"xladoctor: {file} is not written: no edit was found with which the program runs\n")
        return
    try:
        with file.open("x", encoding="utf-8", newline="") as stream:
            stream.write(diff)
    except OSError as error:
        sys.stderr.write(f"xladoctor: {file} could not be written: {error.strerror or error}\n")


def shell_status(status: int) -> int:
    """A process status as a shell tells it: 128 and the signal's number for a process that a signal ended."""
    return 128 - status if status < 0 else status


def _verify(targets: list[str], quiet: bool) -> None:
    from xladoctor.commands.scan import verify_run

    folder = inputs.run_folder(targets)
    if folder is None:
        raise XladoctorError(
            "--verify needs a recorded run: remedies are tried on the call that was recorded",
            hint="xladoctor scan --verify -- CMD, or xladoctor scan --verify RUN_DIR",
        )
    verify_run(folder, quiet)


def _diagnose(targets: list[str], one_run: bool) -> tuple[Diagnosis, str | None]:
    folder = None if one_run else inputs.run_folder(targets)
    if folder is not None:
        from xladoctor.saved import scan_run

        return scan_run(folder), str(folder)
    paths = inputs.of_one_run(targets) if one_run else inputs.logs(targets)
    from xladoctor.saved import scan_logs

    return scan_logs(paths), None


def _survey(runs: list[Target], problems: list[str], output: Output, jobs: int | None, **view: Any) -> int:
    from xladoctor.report import View
    from xladoctor.report.survey import FORMATS, render

    if output.format not in FORMATS:
        raise XladoctorError(
            f"--format {output.format} holds one run, and these are {len(runs)}",
            hint=f"For many runs: {', '.join(FORMATS)}. Logs of one run: --one-run.",
        )
    from xladoctor.commands.scan import survey

    line = Line(sys.stderr, on=not view["quiet"] and sys.stderr.isatty())
    try:
        found = survey(runs, jobs, lambda done, of: line(f"{done} of {of} runs read"))
    finally:
        line.end()
    found = replace(found, problems=(*problems, *found.problems))
    page = output.page() if output.format == "console" else None
    output.write(render(found, output.format, page, View(**view)))
    return found.exit_code
