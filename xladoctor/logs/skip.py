"""A run of lines that mean nothing, as a whole: what is left of them for the lines below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xladoctor.logs.kinds import Kind

RECENT = 40
"""So many lines above an error are kept with it."""


class Left(NamedTuple):
    """What is left: the last lines that are not empty; the last one, where the next may go on with it; the number of
    the last that shows work, or 0; the lines of progress (first, last) and the last that begins an epoch, or -1.
    """

    recent: list[str]
    above: str
    worked: int
    progress: tuple[int, int]
    epoch: int


def left_of(lines: Sequence[tuple[int, bytes]], kinds: Sequence[Kind], first: int, last: int) -> Left:
    """What is left of `lines[first:last]`, whose kinds are `kinds` (from 0)."""
    recent: list[str] = []
    worked, to, epoch = 0, -1, -1
    for at in range(len(kinds) - 1, -1, -1):
        kind = kinds[at]
        if kind.start == kind.stop:
            continue
        if len(recent) < RECENT:
            recent.append(text_of(lines[first + at][1], kind)[:500])
        if not worked and (kind.works or kind.progress):
            worked = lines[first + at][0]
        if kind.progress:
            to = to if to >= 0 else first + at
            epoch = first + at if kind.clean.startswith("Epoch ") else epoch
        if epoch >= 0 and worked and len(recent) == RECENT:
            break
    start = next((first + at for at, kind in enumerate(kinds) if kind.progress), -1)
    recent.reverse()
    end = kinds[-1]
    above = "" if end.progress or end.cpp else text_of(lines[last - 1][1], end)
    return Left(recent, above, worked, (start, to), epoch)


def text_of(line: bytes, kind: Kind) -> str:
    """The cleaned text of a line of a known kind."""
    return line.decode("utf-8", "replace")[kind.start : kind.stop]
