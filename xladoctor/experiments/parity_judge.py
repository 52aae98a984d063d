"""What the measured differences between ways mean: agreement, or a class of silent failure. Pure functions.

A worker measures (`probes.graph.parity`); here it is decided. Two rules keep what is merely rounding out of the
findings: a deviation within the tolerance that was measured for the step agrees; and one beyond it does so too, where
every op on the way gave, plainly and on the values that it had under XLA, what it gave under XLA.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from xladoctor.model.replay import Agreement, DeviationMap
from xladoctor.protocol import answers, codec

PLAIN: Final = "plain"
XLA: Final = "xla"
EVERY = "every output"
_TESTS = ("size", "permuted", "few", "alone", "copies")
_ROWS = 32


def agreements(told: answers.Ways, node: answers.FirstNode | None) -> tuple[list[Agreement], list[str]]:
    """(the ways compared, what cannot be compared) of an answer to `CompareWays`; `node` is the answer about the
    first node at which plain mode and XLA part, if that was asked.
    """
    found: list[Agreement] = []
    notes: list[str] = []
    ways = told.ways
    passed = [w for w, t in ways.items() if t.passed]
    if PLAIN not in passed and passed:
        raised = f"plain mode raises {_said(ways[PLAIN].error)}"
        found += [
            Agreement(
                EVERY,
                (PLAIN, way),
                False,
                (None, None),
                slug="parity-divergence",
                what=f"{raised}; {way} returns numbers",
            )
            for way in passed
        ]
    for way, outcome in ways.items():
        if way != PLAIN and not outcome.passed and PLAIN in passed:
            notes.append(f"{way}: {_why(outcome)}" + (f" ({outcome.note})" if outcome.note else ""))
    if not passed:
        notes.append(f"no way passes: {'; '.join(f'{w}: {_why(t)}' for w, t in ways.items())}")
    bearers = node is not None and node.node is None and not node.error and not node.unchecked
    drawn = node is not None and node.node is not None and "Random" in node.node.op
    for row in told.agreements:
        a, b = row.ways
        if row.apart and row.deviation is not None and b == XLA:
            if row.seeded and drawn:
                notes.append(f"{row.output}: from one seed, XLA draws other numbers than plain mode")
                continue
            if bearers:
                notes.append(
                    f"{row.output}: plain mode and XLA differ by {_number(row.deviation)}, beyond the tolerance "
                    f"of {_number(row.tolerance)}, but every op gives the same in both on the same values: the "
                    f"step amplifies rounding"
                )
                found.append(_agreement(row, (a, b), None))
                continue
        slug = None
        if row.apart:
            slug = "wrong-shape-silent" if row.deviation is None else "parity-divergence"
        if slug is None and (row.tolerance or 0.0) >= 1.0:
            notes.append(f"{row.output}: rounding alone changes it altogether, so the ways cannot be compared")
        found.append(_agreement(row, (a, b), slug))
    return found, notes


def of_rows(told: answers.Rows, way: str) -> tuple[list[Agreement], list[str]]:
    """(each test of rows on each output, what cannot be said) of an answer about the rows of one way."""
    if told.skipped:
        return [], [f"rows ({way}): {told.skipped}"]
    notes = [f"rows ({way}): {f.test} does not run: {_line(f.error.message if f.error else None)}" for f in told.failed]
    if not told.other_sizes:
        notes.append(f"rows ({way}): the step was traced for {told.batch} rows; other sizes cannot be tried")
    notes += [
        f"{name}: no rows of its own at any batch size, so its rows cannot be compared" for name in told.without_rows
    ]
    found = []
    for test in _TESTS:
        for name in dict.fromkeys(t.output for t in told.tests if t.test == test):
            same = [t for t in told.tests if t.test == test and t.output == name]
            found.append(_test(test, name, same, way, told))
    return found, notes


def drawn(told: answers.Ways) -> list[str]:
    """What is said of outputs that depend on numbers drawn at random."""
    free = told.random.free
    names = ", ".join(told.left_out)
    if not free:
        return []
    return [f"{names or 'an output'}: depends on {', '.join(free)}, which draws other numbers at every call"]


def first_node(answer: answers.FirstNode | None) -> dict[str, Any] | None:
    """{"node", "op", "location", "deviation", "message"} of the answer about the first node, or None."""
    node = answer.node if answer is not None else None
    if node is None:
        return None
    where = None
    if node.sources:
        file, line, function = node.sources[-1]
        where = f"{file}:{line} in {function}"
    told = {"node": node.node, "op": node.op, "location": where, "deviation": codec.to_json(node.deviation)}
    if node.shapes:
        told["shapes"] = codec.to_json(node.shapes)
    return {**told, "message": _line(node.message) or None}


def _test(test: str, name: str, same: Sequence[answers.RowTest], way: str, told: answers.Rows) -> Agreement:
    if test == "size":
        row = same[0]
        what = f"{row.size} rows in, {_rows_of(row.shapes[0])} out; {row.right_at} in, {row.right_at} out"
        return _agreement(row, (way, way), "wrong-shape-silent", test, what)
    apart = [t for t in same if t.deviation is None or t.rows or t.deviation > (t.tolerance or 0.0)]
    if not apart:
        return _agreement(max(same, key=_far), (way, way), None, test)
    worst = max(apart, key=_far)
    if worst.deviation is None:
        return _agreement(worst, (way, way), "wrong-shape-silent", test)
    rows = sorted({r for t in apart for r in t.rows})[:_ROWS]
    follows = [pair for t in apart for pair in t.follows]
    what = _pairing(name, follows, told)
    return _agreement(replace(worst, rows=tuple(rows)), (way, way), "wrong-pairing", test, what)


def _pairing(name: str, follows: Sequence[tuple[int, int]], told: answers.Rows) -> str:
    """What rows depend on: on all of their batch, or on other rows than their own."""
    others = [d for d in told.depends if d.output == name and set(d.rows) - {d.row}]
    parts = []
    if follows:
        pairs = ", ".join(f"row {a} gives what row {b} should" for a, b in follows[:3])
        parts.append(f"it follows the wrong row: {pairs}")
    if others:
        first = others[0]
        whole = all(len(d.rows) >= (told.batch or 0) for d in others)
        which = "every row" if whole else f"rows {', '.join(map(str, first.rows[:8]))}"
        kind = "a row depends on its neighbours" if whole else "rows are paired with the wrong ones"
        parts.append(f"{kind}: row {first.row} of {first.input} changes {which} of {name}")
    return "; ".join(parts) or "a row depends on the rows beside it"


def _agreement(
    row: answers.Compared, ways: tuple[str, str], slug: str | None, test: str | None = None, what: str | None = None
) -> Agreement:
    a, b = (None if s is None else [n for n in s if n is not None] for s in row.shapes)
    return Agreement(
        output=row.output,
        ways=ways,
        agree=slug is None,
        shapes=(a, b),
        deviation=_finite(row.deviation),
        tolerance=_finite(row.tolerance),
        amplitude=_finite(row.amplitude),
        phase=_finite(row.phase),
        rows=row.rows,
        slug=slug,
        test=test,
        what=what,
        map=None if row.map is None else _map(row.map),
    )


def _map(seen: answers.Map) -> DeviationMap:
    return DeviationMap(seen.rows, seen.block, seen.row, seen.shape, seen.cells)


def _far(row: answers.Compared) -> float:
    """How far apart: of other shapes, as far as can be."""
    return math.inf if row.deviation is None else row.deviation


def _rows_of(shape: answers.Shape | None) -> str:
    return "none" if not shape else str(shape[0])


def _finite(value: float | None) -> float | None:
    """JSON knows no infinity: the largest float stands for it."""
    return sys.float_info.max if value == math.inf else value


def _number(value: float | None) -> str:
    return f"{value:.2g}"


def _why(outcome: answers.Outcome) -> str:
    verb = "cannot be run" if outcome.outcome == "refused" else "fails"
    return f"{verb}: {_said(outcome.error)}"


def _said(error: answers.Error | None) -> str:
    return f"{error.kind}: {_line(error.message)}" if error is not None else "without an error"


def _line(text: Any) -> str:
    return str(text or "").strip().split("\n")[0][:300]


def names(items: Iterable[Any]) -> str:
    """Names with commas."""
    return ", ".join(map(str, items))
