"""Kinds of lines: lines of a log that differ in nothing but their digits.

A training prints the same few sentences again and again, with other numbers. What costs time (what a line means, what
stands in front of it) is worked out once for each kind, and looked up for every other line of it, in this log and in
the next. No pattern by which lines are judged depends on which digit stands where; a test tries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

ZEROS = bytes(ord("0") if ord("0") <= at <= ord("9") else at for at in range(256))
"""For `bytes.translate`: every digit is a zero."""
MOST = 20_000
"""So many kinds are remembered; then it begins anew. Of a longer line than `LONGEST` none is."""
LONGEST = 1000


@dataclass(slots=True, eq=False)
class Kind:
    """A kind of lines: the cleaned text is `text[start:stop]` of the line, which is `length` characters long. `clean`
    is that of the kind, with zeros; `prefixed` says whether an error begins within it, `flush` whether it begins at the
    margin. `progress` and `works` are set once it is judged (`inert.py`).
    """

    start: int
    stop: int
    length: int
    clean: str
    cpp: bool
    prefixed: bool
    flush: bool
    progress: bool = False
    works: bool = False


class Kinds:
    """The kinds of lines that were seen. `found` says how a line is cleaned, or None where its kind does not say it."""

    def __init__(self, found: Callable[[str], Kind | None]) -> None:
        self._found = found
        self._known: dict[bytes, Kind | None] = {}

    def of(self, line: bytes) -> Kind | None:
        """The kind of a line."""
        return None if len(line) > LONGEST else self.of_zeros(line.translate(ZEROS))

    def of_all(self, lines: Sequence[bytes]) -> list[Kind | None]:
        """The kinds of lines, in their order."""
        zeros = b"\n".join(lines).translate(ZEROS).split(b"\n")
        if len(zeros) != len(lines):  # parts of a long line stand in one
            return [self.of(line) for line in lines]
        known = self._known
        return [
            known[line] if line in known else None if len(line) > LONGEST else self.of_zeros(line) for line in zeros
        ]

    def of_zeros(self, line: bytes) -> Kind | None:
        """The kind of a line in which every digit is a zero."""
        try:
            return self._known[line]
        except KeyError:
            if len(self._known) >= MOST:
                self._known.clear()
            kind = self._known[line] = self._found(line.decode("utf-8", "replace"))
            return kind
