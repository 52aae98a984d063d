"""`xladoctor runs`: the runs that were recorded here, and how to get rid of old ones."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from xladoctor.cli import options
from xladoctor.cli.output import Output
from xladoctor.cli.summaries import SUMMARIES
from xladoctor.errors import XladoctorError

if TYPE_CHECKING:
    from xladoctor.recording.recent import RecentRun

FORMATS = ("console", "json")
HELP = f"""{SUMMARIES["runs"]}

The runs are the folders in xladoctor-runs. scan, trace, replay and report take the word last for the newest one.
clean removes old runs; --keep says how many to keep."""

EPILOG = """\b
Examples:
  xladoctor runs
  xladoctor runs clean --keep 10
  xladoctor report last --output blocker.html

Exit status: 0 done, 2 wrong usage, or a run could not be removed."""


@dataclass(frozen=True)
class Written(options.Written):
    """Where the list goes. It has one form, which nothing folds."""

    format: Annotated[str | None, options.formats(FORMATS, ".json")] = None
    color: options.ColorOption = "auto"


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("runs", help=HELP, epilog=EPILOG)(options.spread(runs))


def runs(
    action: Annotated[
        str | None, typer.Argument(metavar="[clean]", show_default=False, help="clean: remove old runs.")
    ] = None,
    keep: Annotated[
        int | None,
        typer.Option("--keep", min=0, metavar="N", show_default=False, help="With clean: how many runs stay."),
    ] = None,
    *,
    written: Written,
) -> int:
    """Lists, or removes."""
    from xladoctor.recording import recent

    target = Output.of(written.format, written.output, written.force, written.color, FORMATS)
    if action not in (None, "clean"):
        raise XladoctorError(f"runs does not know {action!r}", hint="The only action: xladoctor runs clean --keep N")
    if action is None:
        if keep is not None:
            raise XladoctorError(
                "--keep goes with clean", hint=f"To remove old runs: xladoctor runs clean --keep {keep}"
            )
        _list(target, [_with_headline(recent.describe(folder)) for folder in recent.folders()])
        return 0
    if keep is None:
        raise XladoctorError("runs clean needs --keep N: how many runs stay", hint="xladoctor runs clean --keep 10")
    gone, problems = recent.clean(keep)
    freed = _bytes(sum(run.size for run in gone))
    target.write(f"Removed {len(gone)} {'run' if len(gone) == 1 else 'runs'} ({freed}).\n")
    if problems:
        raise XladoctorError("\n".join(problems))
    return 0


def _with_headline(run: RecentRun) -> RecentRun:
    """The run with the headline of its diagnosis in the place of the title of a class."""
    from xladoctor.recording import recent
    from xladoctor.report import json_
    from xladoctor.report.headline import headline

    if run.title is None:
        return run
    try:
        root = json_.from_dict(recent.diagnosis(run.folder)).root
    except XladoctorError:  # of another version
        return run
    return replace(run, title=headline(root)) if root is not None else run


def _list(target: Output, found: list[RecentRun]) -> None:
    if target.format == "json":
        rows = [
            {"folder": str(r.folder), "time": r.time, "size": r.size, "command": r.command, "verdict": r.verdict,
             "title": r.title, "running": r.running}
            for r in found
        ]  # fmt: skip
        target.write(json.dumps({"schema": "xladoctor.runs/1", "runs": rows}, indent=1) + "\n")
        return
    page = target.page()
    if not found:
        page.para("There is no run here yet: xladoctor scan -- python train.py", indent=0)
        target.write(page.text())
        return
    table = [("run", "verdict", "age", "size", "command, and what was found")]
    for run in found:
        verdict = "running" if run.running else run.verdict or "not diagnosed"
        said = f"{run.command}{f': {run.title}' if run.title else ''}"
        table.append((str(run.folder), verdict, age(time.time() - run.time), _bytes(run.size), said))
    page.table(table, indent=0, styles=["bold", "", "", "", "dim"], caps=(60, 14, 9, 9))
    target.write(page.text())


def age(seconds: float) -> str:
    """`3 min`, `5 h`, `12 d`."""
    if seconds < 90:
        return f"{max(0, round(seconds))} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    return f"{round(seconds / 3600)} h" if seconds < 129_600 else f"{round(seconds / 86400)} d"


def _bytes(count: int) -> str:
    from xladoctor.model.element_types import byte_words

    return byte_words(count)
