"""Two traces side by side: the first place at which two runs went different ways.

Runs of different batch sizes differ in nearly every number. What is compared is what the numbers mean: a size is the
same if it is the same number, or if it has the same axis name or expression in both runs (15 in one and 16 in the other
are both `B`; 60 and 64 are both `B*C`). Besides, whether a tensor was computed at all (a branch that was taken in one
run only), and whether it broke its contract.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import xladoctor
from xladoctor.diagnosis.numbers import Name
from xladoctor.model.diagnosis import ShapeRow
from xladoctor.model.trace import Kind, RowDiff, StepDiff, Trace, TraceDiff, TracedStep

# The rank of names that are computed; what comes after them is only local to other places.
_EXPRESSION = 1

Key = tuple[object, ...]
Shape = Sequence[int | None]


def diff(a: Trace, b: Trace) -> TraceDiff:
    """Set two traces side by side; steps are matched by what was called, in order."""
    found: list[StepDiff] = []
    seen = False
    for left, right in _matched(a.steps, b.steps):
        step = _step(left, right, seen)
        seen = seen or bool(step.rows)
        found.append(step)
    notes = [f"{name}: {n}" for name, t in (("A", a), ("B", b)) for n in t.notes]
    return TraceDiff(
        a=a.source,
        b=b.source,
        steps=tuple(found),
        notes=tuple(notes),
        problems=tuple(f"{name}: {p}" for name, t in (("A", a), ("B", b)) for p in t.problems),
        tool_version=xladoctor.__version__,
    )


def named(shape: Shape | None, names: Sequence[Name]) -> str | None:
    """A shape in names, those of an ambiguous size joined by `|`: `(B*C P P 1)`."""
    if shape is None:
        return None
    return "(" + " ".join("?" if n is None else "|".join(_names(n, names)) or str(n) for n in shape) + ")"


def _names(size: int, names: Sequence[Name]) -> tuple[str, ...]:
    """Every name of a size: axes and expressions alike (64 can be `N` and `B*C`), local axes where there is nothing
    else. A size of 1 has none.
    """
    same = [n for n in names if n.value == size != 1]
    own = [n for n in same if n.rank <= _EXPRESSION]
    return tuple(dict.fromkeys(n.name for n in own or same))


def _matched(a: Sequence[TracedStep], b: Sequence[TracedStep]) -> Iterator[tuple[TracedStep | None, TracedStep | None]]:
    """Pairs of steps of the same name, the n-th with the n-th, in the order in which they were traced."""
    rest = dict(_numbered(_in_order(b)))
    for key, step in _numbered(_in_order(a)):
        yield step, rest.pop(key, None)
    for step in rest.values():
        yield None, step


def _in_order(steps: Sequence[TracedStep]) -> list[TracedStep]:
    """Failed calls stand first in a trace; here the number in the capsule's name says what was traced when."""

    def number(step: TracedStep) -> int:
        part = (step.capsule or "").split("-")[1:2]
        return int(part[0]) if part and part[0].isdigit() else 1 << 30

    return sorted(steps, key=number)


def _numbered(steps: Sequence[TracedStep]) -> Iterator[tuple[Key, TracedStep]]:
    count: dict[str, int] = {}
    for step in steps:
        count[step.name] = count.get(step.name, 0) + 1
        yield (step.name, count[step.name]), step


def _step(a: TracedStep | None, b: TracedStep | None, seen: bool) -> StepDiff:
    if a is None or b is None:
        step = a or b
        assert step is not None
        return StepDiff(step.name, a, b, notes=(f"only in run {'A' if b is None else 'B'}",))
    same = 0
    rows: list[RowDiff] = []
    notes: list[str] = []
    loops: dict[str, list[int]] = {}
    for left, right in _rows(a.shapes, b.shapes):
        found = _row(left, right, a.names, b.names)
        if found is None:
            same += 1
        elif left is None or right is None:
            row = found.row
            if row.iteration:
                # A loop takes as many turns as there are rows: not a difference in kind.
                turns = loops.setdefault(str(row.place), [0, 0])
                turns[left is None] = max(turns[left is None], row.iteration + 1)
            else:
                rows.append(found)
        else:
            rows.append(found)
    for place, took in loops.items():
        longer = "A" if took[0] > took[1] else "B"
        notes.append(f"the loop around {place} took more iterations in {longer}: {max(took)}")
    for name, side in (("A", a), ("B", b)):
        if side.values == "random":
            notes.append(f"the shapes of {name} come from random values: a branch may depend on them")
        elif side.values == "none":
            notes.append(
                f"the shapes of {name} are only as traced: no worker computed the run-time shapes of this call"
            )
    if rows and not seen:
        first = rows[0]
        rows[0] = RowDiff(first.kinds, first.a, first.b, first.named_a, first.named_b, True)
    return StepDiff(a.name, a, b, same, tuple(rows), tuple(notes))


def _rows(a: Sequence[ShapeRow], b: Sequence[ShapeRow]) -> Iterator[tuple[ShapeRow | None, ShapeRow | None]]:
    """Rows of the same tensor of the same call, in the call order of A; what only B has stands where B has it."""
    left, right = dict(_keyed(a)), list(_keyed(b))
    at = {key: i for i, (key, _) in enumerate(right)}
    done = 0
    for key, row in left.items():
        here = at.get(key)
        if here is None:
            yield row, None
            continue
        for other, extra in right[done:here]:
            if other not in left:
                yield None, extra
        done = max(done, here)
        yield row, right[here][1]
    for other, extra in right[done:]:
        if other not in left:
            yield None, extra


def _keyed(rows: Sequence[ShapeRow]) -> Iterator[tuple[Key, ShapeRow]]:
    count: dict[Key, int] = {}
    for row in rows:
        key = (row.place, row.layer, row.phase, row.tensor, row.iteration)
        count[key] = count.get(key, 0) + 1
        yield (*key, count[key]), row


def _row(a: ShapeRow | None, b: ShapeRow | None, names_a: Sequence[Name], names_b: Sequence[Name]) -> RowDiff | None:
    if a is None or b is None:
        kind: Kind = "only-in-b" if a is None else "only-in-a"
        said = [named(_shape(r, False), n) if r is not None else None for r, n in ((a, names_a), (b, names_b))]
        return RowDiff((kind,), a, b, said[0], said[1])
    kinds: list[Kind] = []
    traced = "static-only" in (a.state, b.state)
    if a.state != b.state and not traced:
        kinds.append("state")
    shapes = _shape(a, traced), _shape(b, traced)
    if not kinds and not _same(shapes[0], shapes[1], names_a, names_b):
        kinds.append("shape")
    if bool(a.violation) != bool(b.violation):
        kinds.append("violation")
    if not kinds:
        return None
    return RowDiff(tuple(kinds), a, b, named(shapes[0], names_a), named(shapes[1], names_b))


def _shape(row: ShapeRow, traced: bool) -> Shape | None:
    return row.static if traced or row.runtime is None else row.runtime


def _same(a: Shape | None, b: Shape | None, names_a: Sequence[Name], names_b: Sequence[Name]) -> bool:
    if a is None or b is None:
        return True
    if len(a) != len(b):
        return False
    return all(
        m is None or n is None or m == n or set(_names(m, names_a)) & set(_names(n, names_b))
        for m, n in zip(a, b, strict=True)
    )
