"""Lowering for another platform: what it refuses, and what it does not show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xladoctor.report.replay import chain
from xladoctor.report.replay.words import seconds
from xladoctor.report.text import md, md_fence

if TYPE_CHECKING:
    from xladoctor.model.replay import Lowering, Replay
    from xladoctor.report.page import Page
    from xladoctor.report.view import View


def console(page: Page, found: Replay, view: View) -> None:
    """Whether it was lowered, each op that has no kernel, the message, and what was not looked at."""
    told = found.lowering
    if told is None:
        return
    page.heading(f"Lowered for {told.platform}", seconds(told.seconds))
    page.para(_verdict(told), first="- ", hang=2, style="" if told.ok else "red")
    for text in _lines(told):
        page.para(text, first="- ", hang=2)
    if told.dynamic:
        page.para("The dynamic dimension, from its birth to the op that cannot carry it:")
        page.verbatim("\n".join(chain.drawn(told.dynamic, all_of_it=view.verbose)), indent=4)


def markdown(found: Replay) -> list[str]:
    """The same for an issue."""
    told = found.lowering
    if told is None:
        return []
    lines = [f"- {md(text)}" for text in (_verdict(told), *_lines(told))]
    tree = [md_fence("\n".join(chain.drawn(told.dynamic, all_of_it=True)))] if told.dynamic else []
    return [f"## Lowered for {md(told.platform)}", "\n".join(lines), *tree]


def _verdict(told: Lowering) -> str:
    if told.ok:
        return "the whole step is lowered"
    if told.signature is None:
        return f"not lowered: {told.message}"
    return f"refused: {told.signature.slug}" + (f" ({told.signature.op})" if told.signature.op else "")


def _lines(told: Lowering) -> Iterator[str]:
    yield from (f"no kernel: {text}" for text in told.unsupported)
    if told.message and told.signature is not None and not told.unsupported:
        yield told.message.strip().split("\n")[0]
    if told.note:
        yield told.note
