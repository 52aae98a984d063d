"""Edits of a source that cannot change what it does, as plain values, and how they are put into a text.

A hazard carries a fix only where it is certain; docs/lint.md says for each code why it has one or none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_LINE_END = re.compile(r"\r\n|\r|\n")
Position = tuple[int, int]
"""A line, from 1, and a column, from 0, in characters."""


@dataclass(frozen=True)
class Change:
    """The text from `start` to `end` becomes `text`, whose lines end in a line feed."""

    start: Position
    end: Position
    text: str

    def meets(self, other: Change) -> bool:
        """Whether the two touch the same text. Two insertions at one place do not: they stand in their order."""
        return max(self.start, other.start) < min(self.end, other.end) or (
            self.start < other.start < self.end or other.start < self.start < other.end
        )


@dataclass(frozen=True)
class Fix:
    """What an edit does, as an order ("Move ... above ..."), and its parts, none of which meets another."""

    title: str
    changes: tuple[Change, ...]


def compatible(fixes: Sequence[Fix]) -> list[Fix]:
    """The fixes that can be made together, the first ones first."""
    taken: list[Fix] = []
    for fix in fixes:
        if fix not in taken and not any(a.meets(b) for other in taken for a in other.changes for b in fix.changes):
            taken.append(fix)
    return taken


def applied(text: str, fixes: Sequence[Fix]) -> str:
    """A text with fixes that are compatible; each new line ends as the text's first line does."""
    starts = [0, *(end.end() for end in _LINE_END.finditer(text))]
    first = _LINE_END.search(text)
    newline = first.group() if first else "\n"
    ended = text.endswith(("\n", "\r"))
    changes = [change for fix in fixes for change in fix.changes]
    # From the back, so that places before stay what they are; of two insertions at one place the later one first.
    order = sorted(range(len(changes)), key=lambda n: (changes[n].start, changes[n].end, n), reverse=True)
    for change in (changes[n] for n in order):
        begin = _offset(starts, len(text), change.start)
        text = text[:begin] + change.text.replace("\n", newline) + text[_offset(starts, len(text), change.end) :]
    # Where the last line had no end, it has none afterwards.
    return text if ended else text.removesuffix(newline)


def _offset(starts: Sequence[int], length: int, position: Position) -> int:
    line, column = position
    return min(starts[line - 1] + column, length) if line <= len(starts) else length


def move(lines: Sequence[str], parts: Sequence[tuple[int, int]], above: int, title: str) -> Fix:
    """Whole lines (first, last) to above the line `above`, in their order."""
    texts = ["\n".join(lines[first - 1 : last]) + "\n" for first, last in parts]
    insert = Change((above, 0), (above, 0), "".join(texts))
    return Fix(title, (insert, *(Change((first, 0), (last + 1, 0), "") for first, last in parts)))
