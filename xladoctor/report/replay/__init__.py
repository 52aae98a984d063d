"""Renderers of replays: a `Replay` becomes text; nothing is computed, read or written.

One module a part, each with `console(page, replay, view)` and `markdown(replay)` (a list of blocks); both leave out
what the replay does not hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

from xladoctor.report.view import View

if TYPE_CHECKING:
    from xladoctor.model.replay import Replay
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


def _parts() -> Iterator[Any]:
    for name in PARTS:
        yield import_module(f"xladoctor.report.replay.{name}")


def _console(found: Replay, page: Page, view: View) -> str:
    from xladoctor.report.replay.words import verdict

    style = "bold red" if found.exit_code else "bold green"
    page.parts(("xladoctor: ", "bold"), (verdict(found), style))
    if not view.quiet:
        for part in _parts():
            part.console(page, found, view)
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
    for part in _parts():
        blocks += part.markdown(found)
    if found.notes:
        blocks.append("\n".join(f"- {md(note)}" for note in found.notes))
    return "\n\n".join(blocks) + "\n"
