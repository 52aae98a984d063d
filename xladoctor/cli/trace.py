"""`xladoctor trace`: the shapes at the places of a run, and two runs side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from xladoctor import paths
from xladoctor.cli import command, inputs, options
from xladoctor.cli.summaries import SUMMARIES
from xladoctor.errors import XladoctorError
from xladoctor.report import View
from xladoctor.report.trace import FORMATS, render

if TYPE_CHECKING:
    from xladoctor.cli.output import Output

HELP = f"""{SUMMARIES["trace"]}

Everything after -- is a command. The doctor runs and records it. Then a worker computes the run-time shapes of every
distinct call of fit, evaluate and predict, and of each tf.function with a watched function in it, also of those that
went well. Functions that pyproject.toml names are shown with the contracts of their tensors. RUN_DIR is the folder
of an earlier run; nothing is written into it. --diff compares two run folders and marks the first difference. Sizes
are compared by name: 15 and 16 are the same if both are the batch."""

EPILOG = """\b
Examples:
  xladoctor trace -- python train.py --epochs 2
  xladoctor trace --format html --output shapes.html -- python train.py
  xladoctor trace xladoctor-runs/20260106T101500-3f2a --verbose
  xladoctor trace --diff runs/batch-15 runs/batch-16

Exit status: 0 no contract was broken, 1 one was (with --diff: the runs differ), 2 wrong usage or unreadable
input (with --diff also: no shapes to compare), 3 the command could not be run. Where no contract was broken,
trace ends with the command's own status."""


@dataclass(frozen=True)
class Shown(options.Shown):
    """Where the trace goes, in a format of its own."""

    format: Annotated[str | None, options.formats(FORMATS, ".csv, .json, .md, .html")] = None


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("trace", cls=command.RunsCommand, help=HELP, epilog=EPILOG)(options.spread(trace))


def trace(
    ctx: typer.Context,
    targets: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RUN_DIR | RUN_A RUN_B | -- CMD...]", show_default=False, help="What to trace."),
    ] = None,
    diff: Annotated[bool, typer.Option("--diff", help="Compare two run folders.")] = False,
    *,
    shown: Shown,
    running: command.Running,
) -> int:
    """Sees what is to be traced, has it traced, and shows the trace."""
    shown.check()
    running.check()
    target = shown.destination(FORMATS)
    page = target.page() if target.format == "console" else None
    program = command.given(ctx)
    if program is None:
        command.only_for_commands(ctx, *command.options_of(command.Running))
        return _saved(targets or [], diff, target, View(verbose=shown.verbose, quiet=shown.quiet))
    if diff:
        raise XladoctorError(
            "--diff is for two run folders, and not for a command",
            hint="Trace the command first: its run folder can then be set beside another.",
        )
    command.checked(ctx, program, targets, "a run folder")

    from xladoctor.cli.scan import shell_status
    from xladoctor.commands.scan import trace_command

    result = trace_command(program, running.scan_options(shown, target))
    if target.to_stdout and target.format == "console":
        # Apart from what the command printed last.
        target.write("\n")
    view = View(shown.verbose, shown.quiet, paths.from_here(result.run_dir), result.target_status)
    target.write(render(result.trace, target.format, page, view))
    return result.trace.exit_code or shell_status(result.target_status)


def _saved(targets: list[str], diff: bool, target: Output, view: View) -> int:
    from xladoctor.saved import diff_runs, trace_run

    page = target.page() if target.format == "console" else None
    if diff:
        if len(targets) != 2:
            raise XladoctorError(
                f"--diff needs two run folders, not {len(targets)}",
                hint="For example: xladoctor trace --diff RUN_A RUN_B",
            )
        compared = diff_runs(*(inputs.one_folder(name) for name in targets))
        target.write(render(compared, target.format, page, view))
        return compared.exit_code
    if len(targets) != 1:
        raise XladoctorError(
            "there is nothing to trace" if not targets else "give one run folder, or two with --diff",
            hint="Name a run folder, or a command after --:\n  xladoctor trace -- python train.py",
        )
    folder = inputs.one_folder(targets[0])
    found = trace_run(folder)
    target.write(render(found, target.format, page, View(view.verbose, view.quiet, str(folder))))
    return found.exit_code
