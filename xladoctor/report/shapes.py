"""The shape table, before any format: rows gathered into calls, and repetitions folded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from xladoctor.model.diagnosis import ShapeRow
from xladoctor.model.shapes import shape_text
from xladoctor.report.facts import contract_part

LONGEST_CYCLE = 8


@dataclass(frozen=True)
class Call:
    """The rows of one call of one place that stand together: its arguments, or its results."""

    rows: tuple[ShapeRow, ...]

    @property
    def first(self) -> ShapeRow:
        """Any row: they share the place."""
        return self.rows[0]

    @property
    def same_call(self) -> tuple[object, ...]:
        """What the arguments and the results of one call share."""
        row = self.rows[0]
        return (row.place, row.call, row.iteration, row.layer)

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
                r.first_violation,
            )
            for r in self.rows
        )


@dataclass(frozen=True)
class Step:
    """A call, or some steps in a row, seen `times` times in succession."""

    parts: tuple[Call | Step, ...]
    times: int = 1

    @property
    def calls(self) -> tuple[Call, ...]:
        """Every call that is shown of it."""
        return tuple(c for p in self.parts for c in (p.calls if isinstance(p, Step) else (p,)))

    @property
    def count(self) -> int:
        """How many calls it stands for."""
        return self.times * sum(part.count if isinstance(part, Step) else 1 for part in self.parts)

    @property
    def violated(self) -> bool:
        """Whether a call in it breaks its contract."""
        return any(call.violated for call in self.calls)

    @property
    def alike(self) -> tuple[object, ...]:
        """What two steps share that need be shown only once."""
        return (self.times, *(part.alike for part in self.parts))


def calls(rows: Iterable[ShapeRow]) -> list[Call]:
    """Neighbouring rows of the same call, in the order given."""
    grouped = groupby(rows, key=lambda r: (r.place, r.call, r.iteration, r.layer, r.function))
    return [Call(tuple(group)) for _, group in grouped]


def folded(found: Sequence[Call]) -> list[Step]:
    """The calls with repetitions of one call, then of a cycle of up to eight such steps, shown once.

    The first violation is never hidden behind an earlier call.
    """
    single = _fold([Step((call,)) for call in found], (1,))
    return _fold(single, range(2, LONGEST_CYCLE + 1))


def _fold(steps: Sequence[Step], sizes: Iterable[int]) -> list[Step]:
    keys = [step.alike for step in steps]
    out: list[Step] = []
    at = 0
    while at < len(steps):
        cycles = [(size, _repeats(keys, at, size)) for size in sizes]
        size, times = max(cycles, key=lambda cycle: (cycle[0] * cycle[1] if cycle[1] > 1 else 0, -cycle[0]))
        if times == 1:
            out.append(steps[at])
            at += 1
        else:
            parts = steps[at : at + size]
            out.append(Step(parts[0].parts if size == 1 else tuple(parts), times))
            at += size * times
    return out


def _repeats(keys: Sequence[object], at: int, size: int) -> int:
    pattern = keys[at : at + size]
    times = 1
    while len(pattern) == size and keys[at + times * size : at + (times + 1) * size] == pattern:
        times += 1
    return times


def shortened(steps: Sequence[Step], limit: int) -> list[Step | int]:
    """At most `limit` steps; a number stands for the calls left out.

    What stays: the beginning, what leads to the first violation, and the violations that follow it.
    """
    if len(steps) <= limit:
        return list(steps)
    first = next((index for index, step in enumerate(steps) if step.violated), len(steps))
    keep = set(range(limit // 4)) | set(range(max(first - limit // 4, 0), min(first + 1, len(steps))))
    later = [index for index in range(first + 1, len(steps)) if steps[index].violated]
    keep |= set(later[: limit - len(keep)])
    if first == len(steps):
        keep = set(range(limit))
    out: list[Step | int] = []
    for index, step in enumerate(steps):
        if index in keep:
            out.append(step)
        elif out and isinstance(out[-1], int):
            out[-1] += step.count
        else:
            out.append(step.count)
    return out


def around(found: Sequence[Call], limit: int) -> list[Call | int]:
    """About `limit` rows around the first violation; a number stands for the calls left out.

    What stays: the arguments of the call whose result is wrong, the violation, and the violations that follow it, each
    once. Nothing where there is no violation.
    """
    first = next((index for index, call in enumerate(found) if any(r.first_violation for r in call.rows)), None)
    if first is None:
        first = next((index for index, call in enumerate(found) if call.violated), None)
    if first is None:
        return []
    keep = {first}
    seen = {found[first].alike}
    own = found[first].same_call
    keep |= {index for index in range(first) if found[index].same_call == own and own[1] is not None}
    room = limit - sum(len(found[index].rows) for index in keep)
    for index in range(first + 1, len(found)):
        if found[index].alike in seen:
            continue
        if found[index].violated and 0 < len(found[index].rows) <= room:
            keep.add(index)
            seen.add(found[index].alike)
            room -= len(found[index].rows)
        elif found[index].violated:
            break
    out: list[Call | int] = []
    for index, call in enumerate(found):
        if index in keep:
            out.append(call)
        elif out and isinstance(out[-1], int):
            out[-1] += 1
        else:
            out.append(1)
    return out


def repetition(step: Step) -> str:
    """How often a step was seen, in words."""
    shown = len(step.calls)
    return f"{'this call' if shown == 1 else f'these {shown} calls'} {step.times} times in a row"


def contract_of(row: ShapeRow) -> str:
    """The part of the place's contract that speaks of this tensor."""
    return contract_part(str(row.contract or ""), row.phase == "out", str(row.tensor))


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
