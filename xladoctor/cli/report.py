"""`xladoctor report`: the blocker document of a run, and two runs side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xladoctor.cli import inputs, options
from xladoctor.cli.export import Exported, export
from xladoctor.cli.summaries import SUMMARIES
from xladoctor.errors import XladoctorError
from xladoctor.report import View

if TYPE_CHECKING:
    from xladoctor.cli.output import Output
    from xladoctor.commands.report import Document
    from xladoctor.report.template import Own

FORMATS = ("console", "json", "markdown", "html")
TEMPLATES = ("blocker",)

HELP = f"""{SUMMARIES["report"]}

The report says what failed, where, why and what to do. Each claim was tested, or is marked as not tested. RUN_DIR is
the folder that xladoctor scan -- CMD wrote. A diagnosis.json or a log works, too, with less detail. The report
includes what xladoctor replay found out about the run. --format html gives one page with pictures that needs no
network. --diff compares two runs, such as one that passes and one that fails."""

EPILOG = """\b
Examples:
  xladoctor report xladoctor-runs/20260106T101500-3f2a --output blocker.md
  xladoctor report xladoctor-runs/20260106T101500-3f2a --format html --redact --output blocker.html
  xladoctor report xladoctor-runs/20260106T101500-3f2a --template ours.md.j2
  xladoctor report last --output blocker.html
  xladoctor report --diff runs/passes runs/fails

Exit status: 0 the document was written, whatever it says (with --diff: the runs do not differ), 1 with --diff:
they differ, 2 wrong usage or unreadable input."""


Format = Annotated[str | None, options.formats(FORMATS, ".md, .html, .json", "markdown, with --diff console")]


@dataclass(frozen=True)
class Asked:
    """Which document is written, and from what."""

    diff: Annotated[bool, typer.Option("--diff", help="Compare two run folders.")] = False
    template: Annotated[
        str,
        typer.Option(
            "--template",
            "-t",
            metavar="NAME|FILE",
            help="blocker, or a file of your own that ends in .md.j2 or .html.j2 (docs/report.md).",
        ),
    ] = "blocker"
    format: Format = None
    redact: Annotated[
        bool,
        typer.Option(
            "--redact",
            help="Replace home folders, user names, host names, working folders and secrets with placeholders.",
        ),
    ] = False
    replay: Annotated[
        list[Path] | None,
        typer.Option(
            "--replay", metavar="PATH", show_default=False, help="Also show this replay (its folder or replay.json)."
        ),
    ] = None


@dataclass(frozen=True)
class Shown(options.Shown):
    """Where the document goes. Its format is the same option as that of `Asked`."""

    format: Format = None


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("report", help=HELP, epilog=EPILOG)(options.spread(report))


def report(
    targets: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN_DIR | DIAGNOSIS.json | LOG... | RUN_A RUN_B]", show_default=False, help="What to report on."
        ),
    ] = None,
    *,
    asked: Asked,
    shown: Shown,
    exported: Exported,
) -> int:
    """Sees what is to be reported, and writes the document."""
    shown.check()
    to = exported.destinations()
    own = _own(asked.template)
    if asked.diff:
        other = "--replay" if asked.replay else "--template" if own is not None else "--export" if to else None
        if other:
            raise XladoctorError(f"--diff cannot be combined with {other}")
        return _diff(targets or [], shown.destination(FORMATS), asked.redact, View(shown.verbose, shown.quiet))
    if own is not None and asked.format not in (None, own.format):
        raise XladoctorError(f"{own.file} makes {own.format}, not {asked.format}")
    target = (
        shown.destination(FORMATS, _meant(shown.output))
        if own is None
        else shown.destination((*FORMATS, own.format), own.format)
    )
    document = _document(targets or [], asked.replay or [])
    if asked.redact:
        from xladoctor.commands.report import redacted

        document = redacted(document)
    if own is not None:
        from xladoctor.report.template import render as fill

        target.write(fill(own, document.diagnosis, document.view))
    else:
        from xladoctor.report import render

        page = target.page() if target.format == "console" else None
        view = replace(document.view, verbose=shown.verbose, quiet=shown.quiet)
        target.write(render(document.diagnosis, target.format, page, view))
    export(to, document.diagnosis, document.view)
    return 2 if document.diagnosis.problems else 0


def _own(template: str) -> Own | None:
    if template in TEMPLATES:
        return None
    from xladoctor.report.template import find

    return find(template, TEMPLATES)


def _meant(output: Path | None) -> str | None:
    """A document is Markdown unless a file's name says otherwise."""
    return None if output is not None and output.suffix.lower() in (".json", ".html", ".htm", ".md") else "markdown"


def _document(targets: list[str], replays: list[Path]) -> Document:
    from xladoctor.commands import report as documents

    if not targets:
        from xladoctor.recording import recent

        targets = [str(recent.newest())]
    folder = inputs.run_folder(targets)
    if folder is not None:
        return documents.of_run(folder, replays)
    if len(targets) == 1 and targets[0].endswith(".json") and Path(targets[0]).is_file():
        return documents.of_diagnosis(Path(targets[0]), replays)
    return documents.of_logs(inputs.logs(targets), replays)


def _diff(targets: list[str], target: Output, redact: bool, view: View) -> int:
    if len(targets) != 2:
        raise XladoctorError(
            f"--diff needs two run folders, not {len(targets)}",
            hint="For example: xladoctor report --diff RUN_A RUN_B",
        )
    from xladoctor.commands import report as documents
    from xladoctor.report.run_diff import render

    found = documents.differences(*(inputs.one_folder(name) for name in targets))
    if redact:
        found = documents.redacted_differences(found)
    page = target.page() if target.format == "console" else None
    target.write(render(found, target.format, page, view))
    return found.exit_code
