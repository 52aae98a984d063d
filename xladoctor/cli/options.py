"""The options that every command has, declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import click
import typer

from xladoctor.errors import did_you_mean
from xladoctor.report import FORMATS, PAGES


class Choice(click.Choice[str]):
    """A choice of words that says which one was probably meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word itself; anything else fails with all words and the closest."""
        if value in self.choices:
            return str(value)
        near = did_you_mean(str(value), list(self.choices))
        self.fail(f"{value!r} is none of {', '.join(self.choices)}." + (f" {near}" if near else ""), param, ctx)


def formats(known: tuple[str, ...], endings: str, otherwise: str = "console") -> Any:
    """The option `--format` of a command that writes the formats `known`."""
    return typer.Option(
        "--format",
        "-f",
        click_type=Choice(known),
        metavar="FORMAT",
        show_default=False,
        help=f"{', '.join(known)}. Without it: what --output ends in ({endings}), else {otherwise}.",
    )


# For commands whose result is a diagnosis, and for the others.
Format = Annotated[str | None, formats(FORMATS, ".json, .md, .html, .sarif, .xml, .jsonl, .csv")]
PageFormat = Annotated[str | None, formats(PAGES, ".json, .md")]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        show_default=False,
        help="Write to FILE instead of standard output. A file that xladoctor wrote before is replaced, any "
        "other one only with --force.",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Let --output replace any file.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Show everything, nothing folded.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show the one line that matters.")]
Color = Annotated[
    str,
    typer.Option(
        "--color",
        click_type=Choice(("auto", "always", "never")),
        metavar="WHEN",
        help="auto, always or never. auto: on a terminal, and not where NO_COLOR is set.",
    ),
]
Search = Annotated[
    str | None,
    typer.Option(
        "--search",
        "-s",
        metavar="WORDS",
        show_default=False,
        help="The classes whose texts hold all the WORDS; or an error message, pasted.",
    ),
]
