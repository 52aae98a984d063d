"""One log or run folder, diagnosed and shown. Without an option this needs no typer, which takes as long to load as a
log of a megabyte to read: `xladoctor scan TARGET` alone comes here at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from xladoctor.cli import inputs
from xladoctor.cli.output import Output
from xladoctor.errors import PipeClosed, XladoctorError

if TYPE_CHECKING:
    from xladoctor.model.diagnosis import Diagnosis
    from xladoctor.report.view import View
    from xladoctor.trackers import Destination


def scan(target: str) -> int | None:
    """The exit status of `xladoctor scan TARGET`; None where that is an option, or several runs.

    Raises:
        BrokenPipeError: nobody reads standard output any more.
    """
    if not target or (target.startswith("-") and target != inputs.STDIN) or inputs.runs([target]) is not None:
        return None
    output = Output.of(None, None)
    diagnosis, folder = diagnosed([target])
    try:
        return show(diagnosis, output, verbose=False, quiet=False, run_dir=folder)
    except PipeClosed:
        raise BrokenPipeError from None


def diagnosed(targets: list[str], one_run: bool = False, source: Path | None = None) -> tuple[Diagnosis, str | None]:
    """The diagnosis of saved output, and the run folder that it is of.

    Raises:
        XladoctorError: there is no such output, or it cannot be read.
    """
    folder = None if one_run else inputs.run_folder(targets)
    if folder is not None:
        from xladoctor.saved import scan_run

        return scan_run(folder), str(folder)
    paths = inputs.of_one_run(targets) if one_run else inputs.logs(targets)
    from xladoctor.saved import scan_logs

    if source is not None and not source.is_dir():
        raise XladoctorError(f"{source}: is no folder", hint="--source DIR is the folder of the program.")
    return scan_logs(paths, source=source), None


def show(diagnosis: Diagnosis, output: Output, to: tuple[Destination, ...] = (), before: str = "", **view: Any) -> int:
    """Renders the diagnosis to its destination, logs it, and returns the exit status that it means."""
    from xladoctor import excerpts
    from xladoctor.report import View, render

    page = output.page() if output.format == "console" else None
    seen = View(**view, excerpts=excerpts.of(diagnosis, view.get("run_dir")))
    try:
        output.write(before + render(diagnosis, output.format, page, seen))
    except (PipeClosed, XladoctorError):
        # Nobody reads the report, or there is no room for it: all the more is it wanted elsewhere.
        _export(to, diagnosis, seen)
        raise
    _export(to, diagnosis, seen)
    return diagnosis.exit_code


def _export(to: tuple[Destination, ...], diagnosis: Diagnosis, view: View) -> None:
    if to:
        from xladoctor.cli.export import export

        export(to, diagnosis, view)
