"""Whether a wrong size reaches what failed: the sizes that met there are as far apart as it is from the right one.

A step that dies on 128 translations and 4 images dies of a layer that gave 1 row for 32, since 128/4 = 32/1. One that
dies on anything else does not, however early in the step the layer comes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

from xladoctor.diagnosis.standing import expected_sizes

if TYPE_CHECKING:
    from xladoctor.diagnosis.facts import Broken, Step
    from xladoctor.diagnosis.unfinished import Unfinished
    from xladoctor.model.diagnosis import Finding
    from xladoctor.model.ops import Sizes, WorkerOp
    from xladoctor.recording.run import Event


def reaches(step: Step, broken: Broken, findings: Sequence[Finding], unfinished: Unfinished | None = None) -> bool:
    """Whether the wrong size of a broken contract explains the sizes at the op that failed, or the rows lost."""
    wanted = _ratios(broken)
    if not wanted:
        return False
    if step.why == "rows":
        return reaches_rows(step.keras_call, broken) or _one_origin(step)
    op = step.failing_op
    if op is not None and _comes_after(op, broken):
        return False
    met = set(_apart(_vectors(op))) if op is not None else set()
    if unfinished is not None:
        met |= set(_apart([[s] for s in (i["shape"] for i in unfinished.isolated["inputs"]) if s]))
    for finding in findings:
        met |= set(_apart(_named(finding.dims)))
    return bool(wanted & met)


def reaches_rows(call: Event | None, broken: Broken) -> bool:
    """Whether a call lost rows in the proportion in which the tensor lost them."""
    return bool(_ratios(broken) & set(_lost(call or {})))


def _ratios(broken: Broken) -> set[Fraction]:
    """How far the size is from the right one: of its axis, and of the whole tensor. 1 says nothing."""
    violation = broken.violation
    wanted = expected_sizes(violation, broken.bindings)
    found = [_ratio(violation.expected, violation.seen)]
    if None not in wanted and None not in violation.shape:
        whole = (math.prod(n for n in sizes if n is not None) for sizes in (wanted, violation.shape))
        found.append(_ratio(*whole))
    return {r for r in found if r is not None and r != 1}


def _ratio(a: int | None, b: int | None) -> Fraction | None:
    """The larger to the smaller."""
    return Fraction(max(a, b), min(a, b)) if a and b else None


def _lost(call: Event) -> Iterator[Fraction]:
    for rows in call.get("rows_out") or ():
        ratio = _ratio(call.get("rows_in"), rows)
        if ratio is not None:
            yield ratio


def _one_origin(step: Step) -> bool:
    """Whether the lost rows and the wrong size arise in the same op."""
    size, rows = step.birth, step.rows_birth
    return size is not None and rows is not None and size.node == rows.node


def _comes_after(op: WorkerOp, broken: Broken) -> bool:
    return bool(op.order) and len(broken.moment) > 1 and broken.moment[: len(op.order)] > op.order


def _vectors(op: WorkerOp) -> list[list[Sizes]]:
    """For each input of an op: its shape, or its value where that is a shape itself."""
    return [[sizes] for sizes in (tensor.sizes or tensor.shape for tensor in op.inputs) if sizes]


def _named(dims: Sequence[Any]) -> list[list[list[Any]]]:
    return [[list(d)] if isinstance(d, (list, tuple)) else [[d]] for d in dims]


def _apart(inputs: Sequence[Sequence[Sequence[Any]]]) -> Iterator[Fraction]:
    """How far the sizes of two inputs are apart: as a whole, and axis by axis from either end."""
    for one, other in combinations(inputs, 2):
        for a in one:
            for b in other:
                pairs = [*zip(a, b, strict=False), *zip(reversed(a), reversed(b), strict=False)]
                if all(isinstance(n, int) for n in (*a, *b)):
                    pairs.append((math.prod(a), math.prod(b)))
                for m, n in pairs:
                    ratio = _ratio(m, n) if isinstance(m, int) and isinstance(n, int) else None
                    if ratio is not None and ratio != 1:
                        yield ratio
