"""Renderers of replays: a `Replay` becomes text; nothing is computed, read or written.

One module a part, each with `part(replay, all_of_it)`, which is None where the replay holds nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

from xladoctor.report.view import View

if TYPE_CHECKING:
    from xladoctor.model.replay import Replay
    from xladoctor.report.document import Part
    from xladoctor.report.page import Page

FORMATS = ("console", "json", "markdown", "csv")
PARTS = ("sweep", "isolated", "parity", "lowering", "remedies")


def render(found: Replay, format: str, page: Page | None = None, view: View | None = None) -> str:
    """A replay as text. `page` gives width and colours to the console format.

    Raises:
        ValueError: there is no such format.
    """
    if format not in FORMATS:
        raise ValueError(f"no such format: {format!r}; there are {', '.join(FORMATS)}")
    if format == "json":
        from xladoctor.report.replay.json_ import render as as_json

        return as_json(found)
    if format == "csv":
        from xladoctor.report.replay.table import csv

        return csv(found.sweep)
    if format == "markdown":
        return _markdown(found)
    from xladoctor.report.page import Page

    return _console(found, page or Page(), view or View())


def to_dict(found: Replay) -> dict[str, Any]:
    """The replay as what JSON can hold."""
    from xladoctor.report.replay.json_ import to_dict as convert

    return convert(found)


def parts(found: Replay, all_of_it: bool = False) -> Iterator[Part]:
    """What there is to say of a replay, in the order of a report."""
    for name in PARTS:
        part: Part | None = import_module(f"xladoctor.report.replay.{name}").part(found, all_of_it)
        if part is not None:
            yield part


def _console(found: Replay, page: Page, view: View) -> str:
    from xladoctor.report.replay.words import verdict
    from xladoctor.report.writers import console as writer

    style = "bold red" if found.exit_code else "bold green"
    page.parts(("xladoctor: ", "bold"), (verdict(found), style))
    if not view.quiet:
        for part in parts(found, view.verbose):
            writer.write(page, part)
        for note in found.notes:
            page.para(note, indent=2)
        page.blank()
        page.parts((f"Kept in {found.folder}", "dim"))
    return page.text()


def _markdown(found: Replay) -> str:
    from xladoctor.report.markdown import md_comment
    from xladoctor.report.replay.words import verdict
    from xladoctor.report.text import md, md_code

    blocks = [
        f"<!-- {found.schema} written by xladoctor {md_comment(found.tool_version)} -->",
        f"# Replay: {md(verdict(found))}",
        f"Subject: {md_code(found.subject)}",
    ]
    return "\n\n".join([*blocks, *markdown(found)]) + "\n"


def markdown(found: Replay, level: int = 2) -> Iterator[str]:
    """The parts and notes of a replay as blocks of Markdown, below headings of that level."""
    from xladoctor.report.text import md
    from xladoctor.report.writers import markdown as writer

    for part in parts(found):
        yield from writer.write(part, level)
    if found.notes:
        yield "\n".join(f"- {md(note)}" for note in found.notes)
