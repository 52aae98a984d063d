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


def groups(findings: Sequence[Finding]) -> list[int]:
    """For each finding the number of its group; groups are numbered as they first appear."""
    known: dict[tuple[str, ...], list[tuple[int, Dims]]] = {}
    chosen: list[int] = []
    for finding in findings:
        found, dims = key(finding), numbers(finding.dims)
        alike = known.setdefault(found, [])
        number = next((n for n, other in alike if found[-1] or related(dims, other)), None)
        if number is None:
            number = len(set(chosen))
        alike.append((number, dims))
        chosen.append(number)
    return chosen
