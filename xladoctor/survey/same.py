"""When two runs failed in the same way.

Not when their messages are alike: a batch of 16 instead of 32 changes every number in a message, and each trace counts
its nodes anew (`translation_36_1/Reshape_4`). Nor when their class is the same: a program can have two reshapes that
fail. The same failure is the same class, at the same op, in the same place; where no place is known, with numbers of
which one is the other's by a single factor (the batch), all else equal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any

from xladoctor.model.diagnosis import Finding
from xladoctor.rules import OUTSIDE

Dims = tuple[int | None, ...]

_TRACE = re.compile(r"^(?:__(?:inference|forward|backward)_)?(.*?)(?:_\d+)?$")
_CALL = re.compile(r"^(?:Stateful)?PartitionedCall(?:_\d+)?$")
# Parts of a message that differ from run to run: addresses and ids, numbers, what is quoted, paths.
_VARYING = re.compile(r"0x[0-9a-fA-F]+|'[^']{0,300}'|\"[^\"]{0,300}\"|(?:/[\w.+-]+){2,}|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_WORDS = 160


def key(finding: Finding) -> tuple[str, ...]:
    """What two findings of the same failure have in common; the last part is the place, empty where none is known."""
    op = _TRACE.sub(r"\1", finding.op or "")
    at = place(finding)
    # Of a failure that is no tensor's, the class says little: its words tell which it is.
    words = skeleton(finding.message) if finding.slug in OUTSIDE or not (op or at) else ""
    return finding.slug, finding.level, op, words, at or ""


def place(finding: Finding) -> str | None:
    """Where a failure is: the user's function (lines move as a file is edited), else the node without its counters."""
    at = finding.location
    if at is not None:
        name = PurePath(str(at.file).replace("\\", "/")).name
        return f"{name}:{at.function}" if at.function else name
    return node(finding.layer or finding.node)


def node(path: str | None) -> str | None:
    """A node's path without the counters that each trace gives anew, and without the calls around it."""
    parts = [_bare(part) for part in (path or "").split("/") if part and not _CALL.match(part)]
    return "/".join(parts) or None


def _bare(part: str) -> str:
    """A name without the counters at its end: `conv2d_3_1` is `conv2d`."""
    name, underscore, number = part.rpartition("_")
    while underscore and number.isdecimal():
        part = name
        name, underscore, number = part.rpartition("_")
    return part


def skeleton(message: str) -> str:
    """A message without what differs from run to run."""
    return _VARYING.sub("#", " ".join(message.split()))[:_WORDS]


def numbers(dims: Iterable[Any]) -> Dims:
    """The dims of a finding, nested or not, as one row of numbers; what is unknown is None."""
    found: list[int | None] = []
    for item in dims:
        if isinstance(item, (list, tuple)):
            found += numbers(item)
        elif item is None or (isinstance(item, int) and not isinstance(item, bool)):
            found.append(item)
    return tuple(found)


def related(one: Dims, other: Dims) -> bool:
    """Whether two rows of numbers can come from one program at two batch sizes: what differs, differs by one factor."""
    if len(one) != len(other):
        return False
    factors: set[tuple[int, int]] = set()
    for a, b in zip(one, other, strict=True):
        if a == b:
            continue
        if not a or not b:
            return False
        factors.add(_ratio(a, b))
    return len(factors) <= 1


def _ratio(a: int, b: int) -> tuple[int, int]:
    from math import gcd

    divisor = gcd(a, b)
    return a // divisor, b // divisor


class Groups:
    """Findings put into groups, one after the other. Groups are numbered from 0 as they first appear.

    Of what was seen with one key, at most `_COMPARED` different rows of numbers are compared with a new one.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], dict[tuple[int, Dims], None]] = {}
        self._exact: dict[tuple[tuple[str, ...], Dims], int] = {}
        self._next = 0

    def learn(self, number: int, found: tuple[str, ...], rows: Iterable[Dims]) -> None:
        """A group that is known from before."""
        self._next = max(self._next, number + 1)
        seen = tuple(rows) or ((),)
        self._known.setdefault(found, {}).update(dict.fromkeys((number, dims) for dims in seen))
        for dims in seen:
            self._exact.setdefault((found, dims), number)

    def number(self, found: tuple[str, ...], dims: Dims) -> tuple[int, bool]:
        """The group of a finding with this key and these numbers; and whether such numbers are new in it."""
        alike = self._known.setdefault(found, {})
        placed = bool(found[-1])
        if (same := self._exact.get((found, dims))) is not None:
            return same, False
        number = next((n for n, other in alike if placed or related(dims, other)), None)
        if number is None and len(alike) >= _COMPARED:
            number = next(reversed(alike))[0]
        if number is None:
            number, self._next = self._next, self._next + 1
        new = (number, dims) not in alike and len(alike) < _COMPARED and not (placed and alike)
        if new:
            alike[number, dims] = None
            self._exact[found, dims] = number
        return number, new


_COMPARED = 400


def groups(findings: Sequence[Finding]) -> list[int]:
    """For each finding the number of its group; groups are numbered as they first appear."""
    known = Groups()
    return [known.number(key(finding), numbers(finding.dims))[0] for finding in findings]
