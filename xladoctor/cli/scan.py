"""`xladoctor scan`: diagnose a command, a log or a run folder."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from xladoctor import descriptors, paths
from xladoctor.cli import command, inputs, options
from xladoctor.cli.export import Exported
from xladoctor.cli.one_target import diagnosed, show
from xladoctor.cli.output import Output
from xladoctor.cli.progress import Line
from xladoctor.cli.summaries import SUMMARIES
from xladoctor.errors import PipeClosed, XladoctorError

if TYPE_CHECKING:
    from xladoctor.model.diagnosis import Diagnosis
    from xladoctor.model.survey import Target
    from xladoctor.trackers import Destination

HELP = f"""{SUMMARIES["scan"]}

Everything after -- is a command. The doctor runs it unchanged and records it; its output passes through. The
recording goes into a run folder. Without --, each LOG is the saved output of a run (also .gz and .zst; - is standard
input), and a FOLDER is the run folder of an earlier scan. Several of them, or a folder with several in it, give a table
of the root causes of all runs, newest first."""

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
usage or unreadable input, 3 the command could not be run. --exit-code target: the status of the command."""


@dataclass(frozen=True)
class Running(command.Running):
    """How a command is run, and what the doctor does after it."""

    check_budget: Annotated[
        float | None,
        typer.Option(
            "--check-budget",
            min=0.0,
            metavar="SECONDS",
            show_default=False,
            help="How long to check compiled functions after the run (0: no checks). After a run that ended with 0, "
            "they are compared with plain execution; after a failure, the failing op is searched for. Default: 5 % of "
            "the run, at least 5 (15 after a failure) and at most 30 seconds.",
        ),
    ] = None
    retrace: Annotated[
        bool,
        typer.Option(
            "--retrace",
            help="After a failure, run the command again on a copy and record the shapes of your variables after each "
            "line: for suspects, and for where each size came up first.",
        ),
    ] = False
    try_edits: Annotated[
        bool,
        typer.Option(
            "--try-edits",
            help="After a failure, try small edits on a copy of the sources, and report those with which the program "
            "runs. Your files are not changed. Each trial rehearses the command for a few steps.",
        ),
    ] = False
    edit_budget: Annotated[
        float,
        typer.Option("--edit-budget", min=1.0, metavar="SECONDS", help="How long --try-edits may take."),
    ] = 120.0
    write_patch: Annotated[
        Path | None,
        typer.Option(
            "--write-patch",
            metavar="FILE",
            show_default=False,
            help="Write the first edit that makes the program run to a new file, for patch -p1. Implies --try-edits.",
        ),
    ] = None
    exit_code: Annotated[
        str,
        typer.Option(
            "--exit-code",
            click_type=options.Choice(("doctor", "target")),
            metavar="WHOSE",
            help="Whose exit status to return: doctor, or target (the command's own; for SLURM and CI).",
        ),
    ] = "doctor"


@dataclass(frozen=True)
class Reading:
    """How saved output is read."""

    one_run: Annotated[
        bool,
        typer.Option(
            "--one-run", help="The logs belong to one run (its ranks, or its two streams): give one diagnosis."
        ),
    ] = False
    source: Annotated[
        Path | None,
        typer.Option(
            "--source",
            metavar="DIR",
            show_default=False,
            help="The folder of the program that wrote the log. After a failure of shapes, its files are followed to "
            "the lines that may be wrong. Nothing is run.",
        ),
    ] = None
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", min=1, metavar="N", show_default=False, help="How many processes read runs in parallel."
        ),
    ] = None
    on: options.On = "local"
    follow: Annotated[
        bool,
        typer.Option(
            "--follow",
            "-F",
            help="Read the log while it is written (also a rotated or truncated one) and report findings as they "
            "appear. The diagnosis follows at Ctrl-C, at --timeout, or at the end of standard input.",
        ),
    ] = False


@dataclass(frozen=True)
class Extent:
    """How far the doctor goes to find out."""

    verify: Annotated[
        bool,
        typer.Option("--verify", help="Test remedies on the call that failed, and report what they do."),
    ] = False
    no_probes: Annotated[bool, typer.Option("--no-probes", help="Run the command without recording it.")] = False
    no_replay: Annotated[
        bool, typer.Option("--no-replay", help="Start no worker after the run. There are no run-time shapes then.")
    ] = False


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("scan", cls=command.RunsCommand, help=HELP, epilog=EPILOG)(options.spread(scan))


def scan(
    ctx: typer.Context,
    targets: Annotated[
        list[str] | None,
        typer.Argument(metavar="[LOG... | FOLDER... | - | -- CMD...]", show_default=False, help="What to diagnose."),
    ] = None,
    *,
    shown: options.Shown,
    running: Running,
    reading: Reading,
    extent: Extent,
    exported: Exported,
) -> int:
    """Sees what is to be scanned, has it diagnosed, and shows the diagnosis."""
    shown.check()
    running.check()
    target = shown.destination()
    to = exported.destinations()
    program = command.given(ctx)
    if program is not None:
        command.checked(ctx, program, targets, "logs")
        command.only_for_logs(ctx, *command.options_of(Reading))
        return _run(program, target, shown, running, extent, to)
    only = [*command.options_of(Running), "no_probes", "no_replay"]
    command.only_for_commands(ctx, *(name for name in only if not (reading.follow and name == "timeout")))
    return _read(targets or [], target, shown, reading, extent.verify, running.timeout, to)


def _read(
    targets: list[str],
    target: Output,
    shown: options.Shown,
    reading: Reading,
    verify: bool,
    timeout: float | None,
    to: tuple[Destination, ...],
) -> int:
    """Diagnoses saved output, or run folders."""
    seen: dict[str, Any] = {"verbose": shown.verbose, "quiet": shown.quiet, "to": to}
    if reading.follow:
        from xladoctor.cli.follow import follow

        return show(follow(targets, target, timeout, shown.quiet), target, **seen)
    one_run = reading.one_run or reading.source is not None
    many = None if one_run or verify else inputs.runs(targets)
    if many is not None:
        if to:
            raise XladoctorError(
                f"--export logs one run, but there are {len(many[0])}", hint="Logs of one run: --one-run."
            )
        return _survey(*many, target, reading, verbose=shown.verbose, quiet=shown.quiet)
    if verify:
        _verify(targets, shown.quiet)
    diagnosis, folder = diagnosed(targets, one_run, reading.source)
    return show(diagnosis, target, **seen, run_dir=folder)


def _run(
    program: tuple[str, ...],
    target: Output,
    shown: options.Shown,
    running: Running,
    extent: Extent,
    to: tuple[Destination, ...],
) -> int:
    """Runs a command, and diagnoses it."""
    from xladoctor.commands.scan import scan_command

    result = scan_command(
        program,
        replace(
            running.scan_options(shown, target),
            probes=not extent.no_probes,
            replay=not extent.no_replay,
            verify=extent.verify,
            check_budget=running.check_budget,
            retrace=running.retrace,
            edit_budget=running.edit_budget if running.try_edits or running.write_patch is not None else None,
        ),
    )
    if running.write_patch is not None:
        _write_patch(running.write_patch, result.diagnosis)
    # Apart from what the command printed last.
    before = "\n" if target.to_stdout and target.format == "console" else ""
    seen = {"run_dir": paths.from_here(result.run_dir), "target_status": result.target_status}
    try:
        status = show(result.diagnosis, target, to, before, verbose=shown.verbose, quiet=shown.quiet, **seen)
    except PipeClosed:
        if running.exit_code != "target":
            raise
        # Nobody reads the report, which is in the run folder; the job ends as its program did.
        descriptors.drop_stdout()
    if running.exit_code == "target":
        return shell_status(result.target_status)
    return 130 if result.interrupted and status < 2 else status


def _write_patch(file: Path, diagnosis: Diagnosis) -> None:
    """Write the first edit with which the program ran to a new file, or say why not. Nothing is replaced."""
    root = diagnosis.root
    edits = root.details.get("edits", ()) if root is not None else ()
    diff = next((str(edit["diff"]) for edit in edits if edit["result"] == "ran"), None)
    if diff is None:
        sys.stderr.write(f"xladoctor: {file} is not written: the program runs with none of the edits\n")
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


def _survey(runs: list[Target], problems: list[str], output: Output, reading: Reading, **view: Any) -> int:
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
        found = survey(runs, reading.jobs, lambda done, of: line(f"{done} of {of} runs read"), reading.on)
    finally:
        line.end()
    found = replace(found, problems=(*problems, *found.problems))
    page = output.page() if output.format == "console" else None
    output.write(render(found, output.format, page, View(**view)))
    return found.exit_code
