"""Lowering for another platform: what it refuses, and what it does not show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xladoctor.report.document import Block, Bullets, Item, Part
from xladoctor.report.replay import chain
from xladoctor.report.replay.words import seconds

if TYPE_CHECKING:
    from xladoctor.model.replay import Lowering, Replay


def part(found: Replay, all_of_it: bool) -> Part | None:
    """Whether it was lowered, each op that has no kernel, the message, and what was not looked at."""
    told = found.lowering
    if told is None:
        return None
    verdict = Item(_verdict(told), style="" if told.ok else "red")
    said = Bullets((verdict, *(Item(text) for text in _lines(told))))
    blocks: tuple[Block, ...] = (said, *chain.tree(told.dynamic, all_of_it))
    return Part("lowering", f"Lowered for {told.platform}", seconds(told.seconds), blocks)


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
