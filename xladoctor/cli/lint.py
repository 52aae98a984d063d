"""`xladoctor lint`: hazards in source code, before anything runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xladoctor.cli import options
from xladoctor.cli.output import Output
from xladoctor.cli.summaries import SUMMARIES
from xladoctor.errors import XladoctorError

if TYPE_CHECKING:
    from xladoctor.model.diagnosis import Diagnosis

HELP = f"""{SUMMARIES["lint"]}

Reads Python files, notebooks and folders (- is standard input) and imports nothing. Code that XLA compiles is found
by following the calls from every jit_compile=True."""

EPILOG = """\b
Examples:
  xladoctor lint src
  xladoctor lint train.py --select XD803,XD806
  xladoctor lint src --write-baseline lint.json
  xladoctor lint src --baseline lint.json --format json

Exit status: 0 nothing at the level of --fail-on (warning) or above, 1 findings at it, 2 wrong usage, or files that
could not be read; the others are linted all the same."""

Codes = Annotated[
    list[str] | None,
    typer.Option(
        "--select",
        metavar="CODES",
        show_default=False,
        help="Report only these codes or their beginnings, such as XD803,XD81.",
    ),
]
Ignored = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="CODES", show_default=False, help="Do not report these codes."),
]
Excluded = Annotated[
    list[str] | None,
    typer.Option("--exclude", metavar="PATTERN", show_default=False, help="Files and folders to leave out."),
]


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("lint", help=HELP, epilog=EPILOG)(options.spread(lint))


def lint(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="PATH...", show_default=False, help="Files, folders, or -.")
    ] = None,
    select: Codes = None,
    ignore: Ignored = None,
    exclude: Excluded = None,
    assume_jit: Annotated[
        bool, typer.Option("--assume-jit", help="Assume that XLA compiles every tf.function and Keras layer.")
    ] = False,
    baseline: Annotated[
        Path | None,
        typer.Option(
            "--baseline", metavar="FILE", show_default=False, help="Report only findings that are not in FILE."
        ),
    ] = None,
    write_baseline: Annotated[
        Path | None,
        typer.Option("--write-baseline", metavar="FILE", show_default=False, help="Write today's findings to FILE."),
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(
            "--fail-on",
            click_type=options.Choice(("warning", "note", "never")),
            metavar="LEVEL",
            show_default=False,
            help="warning, note or never: which findings make the exit status 1. Default: warning.",
        ),
    ] = None,
    *,
    shown: options.Shown,
) -> int:
    """Lints, and shows what was found."""
    if not paths:
        raise XladoctorError("there is nothing to lint", hint="Name files or folders, for example: xladoctor lint src")
    shown.check()
    if paths.count("-") > 1:
        raise XladoctorError("standard input (-) can be read only once")
    target = shown.destination()

    from xladoctor.lint import baseline as baselines
    from xladoctor.lint import engine
    from xladoctor.lint.settings import settings

    chosen = settings(Path.cwd(), select or (), ignore or (), exclude or (), assume_jit or None, fail_on)
    known = baselines.load(baseline) if baseline is not None else None
    into = Output.of("json", write_baseline, shown.force, "never") if write_baseline is not None else None
    linted = engine.lint(paths, chosen, known, shown.verbose)
    if into is not None and write_baseline is not None:
        into.write(baselines.as_text(linted.all_findings, write_baseline))
        return 2 if linted.diagnosis.problems else 0
    _show(linted.diagnosis, target, shown.verbose, shown.quiet)
    return _status(linted.diagnosis, chosen.fail_on)


def _show(diagnosis: Diagnosis, target: Output, verbose: bool, quiet: bool) -> None:
    if target.format == "console":
        from xladoctor.cli import lint_text

        target.write(lint_text.as_console(diagnosis, target.page(), verbose, quiet))
        return
    if target.format == "html":
        from xladoctor.report.html import hazards

        target.write(hazards.render(diagnosis))
        return
    from xladoctor.report import View, render

    target.write(render(diagnosis, target.format, None, View(verbose=verbose, quiet=quiet)))


def _status(diagnosis: Diagnosis, fail_on: str) -> int:
    levels = {"warning": ("error", "warning"), "note": ("error", "warning", "note"), "never": ()}[fail_on]
    if diagnosis.problems:
        return 2
    return int(any(finding.level in levels for finding in diagnosis.findings))
