"""The shape table, before any format: rows gathered into calls, and repetitions folded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from xladoctor.diagnosis.model import ShapeRow
from xladoctor.report.facts import shape_text

LONGEST_CYCLE = 8
_GROUP = re.compile(r"(\w*)\s*(\([^()]*\))")


@dataclass(frozen=True)
class Call:
    """The rows of one call of one place that stand together: its arguments, or its results."""

    rows: tuple[ShapeRow, ...]

    @property
    def first(self) -> ShapeRow:
        """Any row: they share the place."""
        return self.rows[0]

    @property
    def violated(self) -> bool:
        """Whether a row breaks its contract."""
        return any(row.violation or row.first_violation for row in self.rows)

    @property
    def name(self) -> str:
        """The place without its module."""
        return str(self.first.place).rpartition(":")[2]

    @property
    def alike(self) -> tuple[object, ...]:
        """What two calls share that need be shown only once."""
        return tuple(
            (
                r.place,
                r.layer,
                r.phase,
                r.tensor,
                r.contract,
                str(r.static),
                str(r.runtime),
                r.state,
                r.violation,
            )
            for r in self.rows
        )


@dataclass(frozen=True)
class Step:
    """Some calls in a row, seen `times` times in succession."""

    calls: tuple[Call, ...]
    times: int = 1


def calls(rows: Iterable[ShapeRow]) -> list[Call]:
    """Neighbouring rows of the same call, in the order given."""
    grouped = groupby(rows, key=lambda r: (r.place, r.call, r.iteration, r.layer, r.function))
    return [Call(tuple(group)) for _, group in grouped]


def folded(found: Sequence[Call]) -> list[Step]:
    """The calls with repetitions (of one call, or of a cycle of up to eight) shown once.

    A call that holds the first violation is never hidden behind an earlier one.
    """
    keys = [(call.alike, any(row.first_violation for row in call.rows)) for call in found]
    steps: list[Step] = []
    at = 0
    while at < len(found):
        length, times = max(
            ((size, _repeats(keys, at, size)) for size in range(1, LONGEST_CYCLE + 1)),
            key=lambda cycle: (cycle[0] * cycle[1] if cycle[1] > 1 else 0, -cycle[0]),
        )
        if times == 1:
            length = 1
        steps.append(Step(tuple(found[at : at + length]), times))
        at += length * times
    return steps


def _repeats(keys: Sequence[object], at: int, size: int) -> int:
    pattern = keys[at : at + size]
    times = 1
    while len(pattern) == size and keys[at + times * size : at + (times + 1) * size] == pattern:
        times += 1
    return times


def shortened(steps: Sequence[Step], limit: int, around: int = 2) -> list[Step | int]:
    """At most about `limit` steps: violations and their neighbours stay, a number stands for the calls left
    out.
    """
    if len(steps) <= limit:
        return list(steps)
    first = next((i for i, s in enumerate(steps) if any(c.violated for c in s.calls)), None)
    keep = set(range(min(limit // 3, len(steps))))
    if first is not None:
        keep |= set(range(max(first - limit // 3, 0), min(first + around + 1, len(steps))))
    for index, step in enumerate(steps):
        if len(keep) >= limit:
            break
        if any(call.violated for call in step.calls):
            keep |= set(range(max(index - around, 0), min(index + around + 1, len(steps))))
    out: list[Step | int] = []
    for index, step in enumerate(steps):
        if index in keep:
            out.append(step)
        elif out and isinstance(out[-1], int):
            out[-1] += len(step.calls) * step.times
        else:
            out.append(len(step.calls) * step.times)
    return out


def contract_of(row: ShapeRow) -> str:
    """The part of the place's contract that speaks of this tensor: `(B*C 2)` of `offsets (B 1 2 C) -> (B*C 2)`."""
    whole = str(row.contract or "")
    before, arrow, after = whole.partition("->")
    if not arrow:
        return whole
    groups = _GROUP.findall(before if row.phase == "in" else after)
    for label, axes in groups:
        if label == row.tensor:
            return str(axes)
    return str(groups[0][1]) if len(groups) == 1 else whole.strip()


def runtime_text(row: ShapeRow) -> str:
    """The run-time column of a row: the shape, or why there is none."""
    if row.runtime is not None:
        return shape_text(row.runtime)
    return {"not-executed": "not executed", "failed": "failed", "executed": "?"}.get(str(row.state), "-")


def remark(row: ShapeRow) -> str:
    """What is wrong with a row, in words."""
    said = str(row.violation) if row.violation else ""
    if row.first_violation:
        return f"FIRST VIOLATION: {said}" if said else "FIRST VIOLATION"
    return said
