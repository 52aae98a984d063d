"""`xladoctor rules`: every class of failure that the doctor knows."""

from __future__ import annotations

import typer

from xladoctor.cli import options
from xladoctor.cli.summaries import SUMMARIES
from xladoctor.commands import knowledge
from xladoctor.report import PAGES

HELP = SUMMARIES["rules"]

EPILOG = """\b
Examples:
  xladoctor rules
  xladoctor rules --search "last batch"
  xladoctor rules --format json --output rules.json"""


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("rules", help=HELP, epilog=EPILOG)(options.spread(rules))


def rules(
    search: options.Search = None,
    *,
    shown: options.ShownPage,
) -> int:
    """Lists all rules."""
    from xladoctor.report import rule_text

    target = shown.destination(PAGES)
    known = knowledge.all_rules() if search is None else knowledge.search(search)
    knowledge.tell_problems()
    if target.format == "json":
        target.write(rule_text.as_json(known))
    elif target.format == "markdown":
        target.write(rule_text.list_markdown(known))
    else:
        target.write(rule_text.list_console(known, target.page(), shown.verbose, shown.quiet))
    return 0
