"""A trace as CSV: one row a tensor, for a spreadsheet or pandas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xladoctor.model.diagnosis import Location, ShapeRow
from xladoctor.model.shapes import shape_text
from xladoctor.model.trace import Trace, TraceDiff
from xladoctor.report.csv_table import table

HEADS = (
    "xladoctor_call", "name", "outcome", "values", "batch", "place", "layer", "call", "iteration", "phase", "tensor",
    "contract", "traced", "runtime", "state", "violation", "first_violation", "axes", "node", "function", "caller",
    "defined",
)  # fmt: skip
DIFF_HEADS = (
    "xladoctor_call", "name", "differs_in", "first_difference", "place", "layer", "iteration", "phase", "tensor",
    "contract", "a_state", "a_shape", "a_named", "a_violation", "b_state", "b_shape", "b_named", "b_violation",
)  # fmt: skip


def render(trace: Trace) -> str:
    """The table, with one line of names on top."""
    return table(HEADS, (
        (
            number, step.name, step.outcome, step.values, step.batch, row.place, row.layer, row.call, row.iteration,
            row.phase, row.tensor, row.contract, _shape(row.static), _shape(row.runtime), row.state, row.violation,
            int(row.first_violation), " ".join(f"{name}={size}" for name, size in row.axes.items()), row.node,
            row.function, _where(row.caller), _where(row.location),
        )
        for number, step in enumerate(trace.steps, 1) for row in step.shapes
    ))  # fmt: skip


def render_diff(diff: TraceDiff) -> str:
    """The tensors that differ, one a row."""
    return table(DIFF_HEADS, (
        (
            number, step.name, " ".join(found.kinds), int(found.first), row.place, row.layer, row.iteration, row.phase,
            row.tensor, row.contract, *_side(found.a, found.named_a), *_side(found.b, found.named_b),
        )
        for number, step in enumerate(diff.steps, 1) for found in step.rows for row in (found.row,)
    ))  # fmt: skip


def _side(row: ShapeRow | None, named: str | None) -> Sequence[Any]:
    if row is None:
        return ("absent", None, None, None)
    return (row.state, _shape(row.static if row.runtime is None else row.runtime), named, row.violation)


def _shape(shape: Sequence[int | None] | None) -> str | None:
    return None if shape is None else shape_text(shape)


def _where(location: Location | None) -> str | None:
    return None if location is None else str(location)
