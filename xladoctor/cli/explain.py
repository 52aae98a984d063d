"""`xladoctor explain`: what a class of failure is, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from xladoctor.cli import options, rules
from xladoctor.cli.summaries import SUMMARIES
from xladoctor.commands import knowledge
from xladoctor.errors import XladoctorError
from xladoctor.report import PAGES

if TYPE_CHECKING:
    from xladoctor.cli.output import Output
    from xladoctor.rules.atlas import Difference

HELP = f"""{SUMMARIES["explain"]}

CODE is a code or class from a diagnosis, a few words, a line of an error message, or an op, of which it shows where XLA
gives something else than eager execution (all ops: silent-under-xla)."""

EPILOG = """\b
Examples:
  xladoctor explain XD301
  xladoctor explain nan
  xladoctor explain "Incompatible shapes"
  xladoctor explain contract-violation --format markdown
  xladoctor explain silent-under-xla
  xladoctor explain GatherV2
  xladoctor explain --search "libdevice gpu"
  xladoctor explain --search "required broadcastable shapes"

--search lists all classes whose texts contain the words; the class of an error message comes first."""


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("explain", help=HELP, epilog=EPILOG)(options.spread(explain))


def explain(
    code: Annotated[
        str | None,
        typer.Argument(
            metavar="CODE",
            help="A code, a class, a few words, or an error message.",
            show_default=False,
            autocompletion=knowledge.complete,
        ),
    ] = None,
    search: options.Search = None,
    *,
    shown: options.ShownPage,
) -> int:
    """Shows one rule."""
    from xladoctor.report import rule_text

    target = shown.destination(PAGES)
    if search is not None:
        if code is not None:
            raise XladoctorError("give either CODE or --search, not both")
        rules.rules(search, shown=shown)
        return 0
    if code is None:
        raise XladoctorError("missing argument 'CODE'", hint="Try: xladoctor explain --help")
    if (known := knowledge.atlas_of(code)) is not None:
        target.write(_atlas(*known, target))
        return 0
    rule = knowledge.rule_meant(code)
    knowledge.tell_problems()
    if target.format == "json":
        target.write(rule_text.as_json([rule]))
    elif target.format == "markdown":
        target.write(rule_text.one_markdown(rule))
    else:
        target.write(rule_text.one_console(rule, target.page(), shown.quiet))
    return 0


def _atlas(op: str | None, found: Sequence[Difference], target: Output) -> str:
    from xladoctor.report import atlas_text

    if target.format == "json":
        return atlas_text.as_json(op, found)
    if target.format == "markdown":
        return atlas_text.as_markdown(op, found)
    return atlas_text.as_console(op, found, target.page())
