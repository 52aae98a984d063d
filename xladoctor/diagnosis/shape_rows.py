"""Calls of places as rows of the shape table: one row a tensor, in call order."""

from __future__ import annotations

from xladoctor.diagnosis.facts import Broken, Step
from xladoctor.diagnosis.places import PlaceCall, Tensor
from xladoctor.model.diagnosis import Location, ShapeRow


def shape_rows(step: Step) -> tuple[ShapeRow, ...]:
    """The table of a step: arguments when a place is entered, results when it is left."""
    first = step.first
    rows: list[tuple[tuple[int, ...], int, ShapeRow]] = []
    for call in step.calls:
        checked = call.known()
        wrong: dict[tuple[str, int], str] = (
            {(v.phase, v.index): v.reason for v in checked.violations if step.counts(Broken(call, v, checked.bindings))}
            if call.state != "not-executed"
            else {}
        )
        axes = {n: b.value for n, b in checked.bindings.items()}
        for phase, tensors, moment in (
            ("in", call.inputs, call.order),
            ("out", call.outputs or (), call.after),
        ):
            for index, tensor in enumerate(tensors):
                if tensor.absent:
                    continue
                reason = wrong.get((phase, index))
                is_first = (
                    first is not None
                    and first.call is call
                    and (first.violation.phase, first.violation.index) == (phase, index)
                )
                row = _row(call, phase, tensor, axes, reason, is_first)
                rows.append((moment, index, row))
    rows.sort(key=lambda r: (r[0], r[1]))
    return tuple(row for _, _, row in rows)


def _row(
    call: PlaceCall, phase: str, tensor: Tensor, axes: dict[str, int], reason: str | None, first: bool
) -> ShapeRow:
    state = tensor.state
    if call.state == "not-executed":
        state = "not-executed"
    caller: Location | None = call.callers[0] if call.callers else None
    return ShapeRow(
        place=call.place,
        phase="in" if phase == "in" else "out",
        tensor=tensor.arg,
        contract=call.contract,
        static=tensor.static,
        runtime=tensor.runtime,
        state=state,
        axes=axes,
        violation=reason,
        first_violation=first,
        layer=call.layer,
        function=call.path[-1] if call.path else None,
        node=tensor.name,
        caller=caller,
        location=call.defined,
        call=call.call,
        iteration=call.iteration,
    )
