"""`xladoctor lint`: hazards in source code, before anything runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xladoctor.cli import options
from xladoctor.cli.output import Output
from xladoctor.cli.summaries import SUMMARIES
from xladoctor.errors import XladoctorError
from xladoctor.report import FORMATS

if TYPE_CHECKING:
    from xladoctor.model.diagnosis import Diagnosis

HELP = f"""{SUMMARIES["lint"]}

Reads Python files, notebooks and folders (- is standard input) and imports nothing. Code that XLA compiles is found
by following the calls from every jit_compile=True."""

EPILOG = """\b
Examples:
  xladoctor lint src
  xladoctor lint train.py --select XD803,XD806
  xladoctor lint src --statistics
  xladoctor lint src --diff
  xladoctor lint src --fix
  xladoctor lint src --write-baseline lint.json
  xladoctor lint src --baseline lint.json --format json

Exit status: 0 nothing at the level of --fail-on (warning) or above, 1 findings at it, 2 wrong usage, or files that
could not be read or fixed; the others are linted all the same. With --fix what is left decides; with --diff: 1 if
there is anything to fix."""

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


@dataclass(frozen=True)
class Changing:
    """What is done with the findings besides telling them."""

    fix: Annotated[
        bool,
        typer.Option("--fix", help="Make the fixes that cannot change what the program does, and report the rest."),
    ] = False
    diff: Annotated[bool, typer.Option("--diff", help="Show what --fix would change, and write nothing.")] = False
    statistics: Annotated[bool, typer.Option("--statistics", help="Show how often each code was found.")] = False

    def check(self, paths: list[str], baseline: bool, format: str | None) -> None:
        """See that the options go together, and with the paths.

        Raises:
            XladoctorError: they do not.
        """
        if paths.count("-") > 1:
            raise XladoctorError("standard input (-) can be read only once")
        if self.diff and format not in (None, "console"):
            raise XladoctorError(f"--diff is text, and no {format}", hint="Leave --format out.")
        if self.diff and self.statistics:
            raise XladoctorError("--diff and --statistics exclude each other")
        if baseline and (self.fix or self.diff or self.statistics):
            raise XladoctorError(
                "--write-baseline writes today's findings, and cannot be combined with --fix, --diff or --statistics"
            )
        if self.fix and not self.diff and "-" in paths:
            raise XladoctorError("standard input cannot be fixed", hint="To see the fixes: xladoctor lint --diff -")


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
    changing: Changing,
    shown: options.Shown,
) -> int:
    """Lints, and shows what was found."""
    if not paths:
        raise XladoctorError("there is nothing to lint", hint="Name files or folders, for example: xladoctor lint src")
    shown.check()
    changing.check(paths, write_baseline is not None, shown.format)
    target = shown.destination(("console", "json") if changing.statistics else FORMATS)

    from xladoctor.lint import baseline as baselines
    from xladoctor.lint import engine
    from xladoctor.lint.settings import settings

    chosen = settings(Path.cwd(), select or (), ignore or (), exclude or (), assume_jit or None, fail_on)
    known = baselines.load(baseline) if baseline is not None else None
    into = Output.of("json", write_baseline, shown.force, "never") if write_baseline is not None else None
    if changing.fix or changing.diff:
        from xladoctor.cli import lint_fix

        fixed = lint_fix.fixed(paths, chosen, known, shown.verbose)
        if changing.diff:
            return lint_fix.show_diff(fixed, target)
    linted = lint_fix.write(fixed) if changing.fix else engine.lint(paths, chosen, known, shown.verbose)
    if into is not None and write_baseline is not None:
        into.write(baselines.as_text(linted.all_findings, write_baseline))
        return 2 if linted.diagnosis.problems else 0
    _show(linted.diagnosis, target, changing.statistics, shown)
    return _status(linted.diagnosis, chosen.fail_on)


def _show(diagnosis: Diagnosis, target: Output, statistics: bool, shown: options.Shown) -> None:
    if statistics:
        from xladoctor.cli import lint_text

        target.write(lint_text.statistics(diagnosis, target.format))
        return
    if target.format == "console":
        from xladoctor.cli import lint_text

        target.write(lint_text.as_console(diagnosis, target.page(), shown.verbose, shown.quiet))
        return
    if target.format == "html":
        from xladoctor.report.html import hazards

        target.write(hazards.render(diagnosis))
        return
    from xladoctor.report import View, render

    target.write(render(diagnosis, target.format, None, View(verbose=shown.verbose, quiet=shown.quiet)))


def _status(diagnosis: Diagnosis, fail_on: str) -> int:
    levels = {"warning": ("error", "warning"), "note": ("error", "warning", "note"), "never": ()}[fail_on]
    if diagnosis.problems:
        return 2
    return int(any(finding.level in levels for finding in diagnosis.findings))
