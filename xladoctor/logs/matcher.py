"""Finds the literals in a block of a log, and counts its lines, in compiled code that leaves other threads free.

A test walks all dirty fixtures and compares what this finds with what a plain `in` finds.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from xladoctor.logs.literals import BARE, COMMON, LITERALS, MESSAGES

if TYPE_CHECKING:
    from ahocorasick_rs import BytesAhoCorasick

_ANSI = re.compile(rb"\x1b\[[0-?]{0,32}[ -/]{0,4}[@-~]")
_BARE_ANSI = re.compile(rb"\[(?:\d{0,2}(?:;\d{1,3}){1,4}|0|1|3[0-7]|39|9[0-7])m")
_SECOND = (*MESSAGES, *BARE)
# With more fragments the matcher is twenty times slower; a second search is twice as slow.
MOST = 64
FREE = MOST - len(_SECOND)


class Block(NamedTuple):
    """Whole lines `data[:end]` of a log, the hits in them (literal's number, start, end; ascending) and how many line
    ends they have. Behind `end` stands the beginning of the next block. `hits` is None for a log so small that all
    of it is looked at, unless it is `quiet`: then none of its lines means anything.
    """

    data: bytes
    end: int
    hits: list[tuple[int, int, int]] | None
    newlines: int
    quiet: bool = False


def scan(data: bytes, end: int, more: tuple[bytes, ...] = ()) -> Block:
    """One block, searched. Colour codes are taken out first: they part words. `more` are literals of plug-ins: their
    hits
    have numbers behind those of `LITERALS`.
    """
    if b"\x1b" in data:
        data = _ANSI.sub(b"", data[:end])
        end = len(data)
    # The first of `more` cost nothing: the second search has places for them.
    searched = (*_SECOND, *more[:FREE])
    second = _automaton(searched).find_matches_as_indexes(data)
    if second and any(len(MESSAGES) <= number < len(_SECOND) for number, *_ in second):
        data = _BARE_ANSI.sub(b"", data[:end])
        end = len(data)
        second = _automaton(searched).find_matches_as_indexes(data)
    hits = _automaton(COMMON).find_matches_as_indexes(data)
    others = [
        ([hit for hit in second if hit[0] < len(MESSAGES)], len(COMMON)),
        ([hit for hit in second if hit[0] >= len(_SECOND)], len(LITERALS) - len(_SECOND)),
    ]
    for first in range(FREE, len(more), MOST):
        found = _automaton(more[first : first + MOST]).find_matches_as_indexes(data)
        others.append((found, len(LITERALS) + first))
    for found, offset in others:
        if found:
            hits += [(number + offset, start, stop) for number, start, stop in found]
    if any(found for found, _ in others):
        hits.sort(key=itemgetter(1))
    return Block(data, end, hits, newlines(data, end))


def newlines(data: bytes, end: int) -> int:
    """How many lines end in `data[:end]`. NumPy does it six times as fast, but takes a tenth of a second to load."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not hasattr(numpy, "count_nonzero") or end < 1 << 16:
        return data.count(b"\n", 0, end)
    return int(numpy.count_nonzero(numpy.frombuffer(data, numpy.uint8, end) == 10))


def word(literal: bytes) -> BytesAhoCorasick:
    """A search for one word: ten times as fast as `bytes.find`."""
    return _automaton((literal,))


@cache
def _automaton(literals: tuple[bytes, ...]) -> BytesAhoCorasick:
    from ahocorasick_rs import BytesAhoCorasick, MatchKind

    # Only for "leftmost" matching does the crate have its vector search, which is 20 times as fast as an automaton.
    return BytesAhoCorasick(literals, matchkind=MatchKind.LeftmostFirst)
