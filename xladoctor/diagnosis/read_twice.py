"""A setting that was changed between two reads that must agree: data of the old value meet a model of the new one.

The recorder has both reads and the write between them. That alone is no fault: programs reconfigure themselves. Where
a failure of shapes follows, and the two sizes that do not fit are to each other as the two values of the setting, or
as their squares, the order of these lines is likely what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from xladoctor.diagnosis.causes import SHAPES
from xladoctor.diagnosis.first_suspect import suspect_at
from xladoctor.diagnosis.reads import History, function_of, histories
from xladoctor.diagnosis.setting_finding import finding, told
from xladoctor.model.diagnosis import Basis, Diagnosis, Finding, Location, Remedy
from xladoctor.recording.run import Event, Recording, location

_SHAPE = re.compile(r"[(\[]([\dNone?, ]{1,80})[)\]]")
_POWERS = {1: "", 2: " squared"}
_BASIS = Basis("observed", "Both reads and the write between them were recorded. No other order was tested.")
Lines = tuple[Location, ...]


@dataclass(frozen=True)
class Twice:
    """A setting with the reads that had its old and its new value, and the write between them."""

    history: History
    old: Event
    written: Event
    new: Event
    power: int
    sizes: tuple[int, int]


def with_read_twice(diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """The diagnosis with the changed setting as its root, where it explains the failure of shapes that was one."""
    root = diagnosis.root
    if root is None or root.level != "error" or root.slug not in SHAPES:
        return diagnosis
    pairs = sizes_apart(root)
    twice = next((t for h in histories(recording) for t in _twice(h, pairs)), None)
    if twice is None:
        return diagnosis
    cause = _cause(twice, recording)
    after = tuple(replace(f, role="consequence") if f is root else f for f in diagnosis.findings)
    return replace(diagnosis, findings=(cause, *after))


def sizes_apart(root: Finding) -> tuple[tuple[int, int], ...]:
    """The pairs of sizes that do not fit: of the broken constraint, else of the two shapes of one rank, or the two
    counts, that the message names.
    """
    if root.constraint is not None:
        sizes = [operand.size for operand in root.constraint.operands if operand.size is not None]
        return ((sizes[0], sizes[1]),) if len(sizes) == 2 else ()
    if len(root.dims) == 2 and all(isinstance(d, int) for d in root.dims):
        return ((root.dims[0], root.dims[1]),)
    text = next((proof.text for proof in root.evidence), "")
    shapes = [_sizes(found[1]) for found in _SHAPE.finditer(text[:2000])]
    one, other = next(((a, b) for a, b in pairwise(shapes) if len(a) == len(b)), ((), ()))
    return tuple((a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None and a != b)


def _sizes(text: str) -> list[int | None]:
    return [int(part) if part.strip().isdigit() else None for part in text.split(",") if part.strip()]


def _twice(history: History, pairs: Sequence[tuple[int, int]]) -> Iterator[Twice]:
    """The changes of a setting, the last one first, that the pairs of sizes show."""
    for written in reversed([w for w in history.writes if w["action"] == "write"]):
        before = history.value_at(written["seq"])
        if before is None or history.restored(written) is not None:
            continue
        was, now = before["value"], written["value"]
        if type(was) is not int or type(now) is not int or was == now or was < 1 or now < 1:
            continue
        by, after = function_of(written), history.next_write(written)
        old = [r for r in history.reads_between(before["seq"], written["seq"]) if function_of(r) != by]
        new = [r for r in history.reads_between(written["seq"], after) if function_of(r) != by]
        told_apart = _power(pairs, was, now)
        if old and new and told_apart is not None:
            yield Twice(history, old[-1], written, new[-1], *told_apart)


def _power(pairs: Sequence[tuple[int, int]], was: int, now: int) -> tuple[int, tuple[int, int]] | None:
    """By which power of the two values a pair of sizes is apart, and the pair, the size of the old value first."""
    for power in _POWERS:
        ratio = Fraction(was**power, now**power)
        for one, other in pairs:
            for a, b in ((one, other), (other, one)):
                # A size that is no multiple of the value was not made of it.
                if a > 0 < b and Fraction(a, b) == ratio and a % was**power == 0:
                    return power, (a, b)
    return None


def _cause(twice: Twice, recording: Recording) -> Finding:
    old, written, new = twice.old, twice.written, twice.new
    was, now, key = old["value"], written["value"], twice.history.key
    first, second = _statements(old, new)
    at = location(written.get("where"))
    small = f"{twice.sizes[0]} and {twice.sizes[1]} have the same ratio as {was} and {now}{_POWERS[twice.power]}"
    wrote = f"{at.file}:{at.line}" if at is not None else "another line"
    message = (
        f"{twice.history.store}[{key!r}] was {was!r} when {_line(first)} read it, and {now!r} when {_line(second)} "
        f"did: {wrote} wrote it in between. The sizes that do not fit show it: {small}."
    )
    found = finding(
        "setting-too-late", f"`{key}` was changed between two reads that must agree", message, written,
        [told(old, "read"), told(written, "written"), told(new, "read")], tested=False, basis=_BASIS,
        details={"key": key, "was": was, "now": now, "sizes": list(twice.sizes)},
    )  # fmt: skip
    remedy = Remedy(
        "set-earlier", f"Set `{key}` before {_line(first)}", "safe",
        f"Everything that reads it then gets {now!r}. If {was!r} is right, remove the write.",
    )  # fmt: skip
    place = first or found.location
    suspects = (suspect_at(recording, place.file, place.line, message),) if place and place.line else ()
    return replace(
        found, level="error", basis=_BASIS, location=place, suspects=suspects,
        remedies=(remedy, *(r for r in found.remedies if r.id != remedy.id)),
    )  # fmt: skip


def _statements(old: Event, new: Event) -> tuple[Location | None, Location | None]:
    """The two lines of one function from which the reads were reached: there the order can be changed. Without such a
    function, where they read.
    """
    for one in reversed(_frames(old)):
        for other in reversed(_frames(new)):
            if (one.file, one.function) == (other.file, other.function) and one.line != other.line:
                return one, other
    return location(old.get("where")), location(new.get("where"))


def _frames(event: Event) -> Lines:
    """The user's frames of a read, innermost first."""
    return tuple(at for f in event.get("frames") or () if (at := location(f)) is not None)


def _line(at: Location | None) -> str:
    return f"{at.file}:{at.line}" if at is not None else "one line"
