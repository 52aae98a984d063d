"""`xladoctor survey`: what failed in the runs below a folder, day after day."""

from __future__ import annotations

import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xladoctor.cli import options
from xladoctor.cli.progress import Line
from xladoctor.cli.summaries import SUMMARIES
from xladoctor.errors import XladoctorError

if TYPE_CHECKING:
    from xladoctor.cli.output import Output
    from xladoctor.model.fleet import Fleet

FORMATS = ("console", "json", "markdown", "html", "csv", "parquet")
HELP = f"""{SUMMARIES["survey"]}

Every log and every run folder below each ROOT is diagnosed, and the table has one entry for each root cause: how many
runs, when first and last seen, whose they are and on which nodes they ran. What was found is kept in a store of
yours. A log that has not changed is not read again."""

EPILOG = """\b
Examples:
  xladoctor survey /scratch/logs --since 24h
  xladoctor survey /scratch/logs --since 7d --output week.html
  xladoctor survey runs/ --format csv --output causes.csv
  xladoctor survey /scratch/logs --since 24h --watch

Exit status: 0 nothing wrong, 1 findings at error level, 2 wrong usage, or none of the runs could be read."""

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}


@dataclass(frozen=True)
class Shown(options.Shown):
    """Where the table goes."""

    format: Annotated[str | None, options.formats(FORMATS, ".json, .md, .html, .csv, .parquet")] = None


@dataclass(frozen=True)
class Looked:
    """At which runs the doctor looks, and how."""

    since: Annotated[
        str | None,
        typer.Option(
            "--since",
            metavar="AGE",
            show_default=False,
            help="Only runs whose logs were written to in the last AGE, such as 90m, 24h, 7d. Default: all.",
        ),
    ] = None
    store: Annotated[
        Path | None,
        typer.Option(
            "--store",
            metavar="FILE",
            show_default=False,
            help="Where to keep what was found. Default: survey.sqlite in ~/.local/state/xladoctor.",
        ),
    ] = None
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", min=1, metavar="N", show_default=False, help="How many processes read. Default: one a core."
        ),
    ] = None
    on: options.On = "local"
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Go on: look again every --every, until Ctrl-C.")] = False
    every: Annotated[str, typer.Option("--every", metavar="TIME", help="With --watch: how often to look.")] = "60s"


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("survey", help=HELP, epilog=EPILOG)(options.spread(survey))


def survey(
    roots: Annotated[list[Path], typer.Argument(metavar="ROOT...", show_default=False, help="Folders with runs.")],
    *,
    shown: Shown,
    looked: Looked,
) -> int:
    """Surveys once, or again and again."""
    shown.check()
    output = shown.destination(FORMATS)
    if output.format == "parquet" and output.to_stdout:
        raise XladoctorError("--format parquet needs --output FILE")
    span = seconds(looked.since, "--since") if looked.since is not None else None
    every = seconds(looked.every, "--every")
    for root in roots:
        if not root.is_dir():
            raise XladoctorError(
                f"{root} is {'no folder' if root.exists() else 'not there'}",
                hint=f"For one log: xladoctor scan {root}" if root.exists() else None,
            )
    if not looked.watch:
        return _once(roots, span, looked, output, shown)
    return _watch(roots, span, every, looked, output, shown)


def seconds(text: str, option: str) -> float:
    """The seconds that `90m`, `24h` or `7d` means.

    Raises:
        XladoctorError: it means none.
    """
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)\s{0,3}([smhdw])", text.strip()[:40].lower())
    if match is None or float(match[1]) <= 0:
        raise XladoctorError(f"{option} {text[:40]}: give a time such as 90m, 24h or 7d")
    return float(match[1]) * _UNITS[match[2]]


def _once(roots: list[Path], span: float | None, looked: Looked, output: Output, shown: Shown) -> int:
    fleet = _surveyed(roots, span, looked, shown.quiet)
    _show(fleet, output, shown)
    return fleet.exit_code


def _surveyed(roots: list[Path], span: float | None, looked: Looked, quiet: bool) -> Fleet:
    from xladoctor.commands.fleet import survey as surveyed

    line = Line(sys.stderr, on=not quiet and sys.stderr.isatty())
    now = time.time()
    try:
        return surveyed(
            roots,
            store=looked.store,
            now=now,
            since=None if span is None else now - span,
            jobs=looked.jobs,
            on=looked.on,
            progress=lambda seen, read: line(f"{seen} runs seen, {read} read"),
        )
    finally:
        line.end()


def _show(fleet: Fleet, output: Output, shown: Shown) -> None:
    from xladoctor.report import View
    from xladoctor.report.fleet import render

    page = output.page() if output.format == "console" else None
    output.write(render(fleet, output.format, page, View(verbose=shown.verbose, quiet=shown.quiet)))


def _watch(roots: list[Path], span: float | None, every: float, looked: Looked, output: Output, shown: Shown) -> int:
    """Looks again and again. On standard output, a table comes only when it differs from the last one."""
    last: tuple[object, ...] | None = None
    status = 0
    try:
        while True:
            try:
                fleet = _surveyed(roots, span, looked, shown.quiet)
            except XladoctorError as error:
                if last is None:
                    raise
                from xladoctor.report import text

                # A disk that is away for a while, or a store that another survey holds: the next look may see it again.
                sys.stderr.write(f"xladoctor: {text.line(error.message)}\n")
                time.sleep(every)
                continue
            status = fleet.exit_code
            now = (fleet.runs, fleet.unreadable, fleet.causes)
            if now != last:
                if last is not None and output.to_stdout and output.format == "console":
                    output.write("\n")
                _show(fleet, output, shown)
            last = now
            time.sleep(every)
    except KeyboardInterrupt:
        return status
