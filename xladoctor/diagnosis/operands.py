"""Which of two tensors that disagree on a size is wrong: the one whose rows were lost earlier.

A contract binds a size by the first tensor that has it, and names the next one that has another. That is an order of
arguments, and no evidence: where 8 images meet 256 offsets, and 256 images came before, the images are wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from xladoctor.diagnosis.contracts import Binding, Violation, readable
from xladoctor.diagnosis.places import PlaceCall, Tensor
from xladoctor.model.shapes import shape_text


def at_fault(
    call: PlaceCall, violation: Violation, bindings: dict[str, Binding], batch: int | None, before: Iterable[PlaceCall]
) -> tuple[Violation, dict[str, Binding]]:
    """The violation, of the other argument where that is the one that lost its rows, and who then gives the size."""
    other = _other(call, violation, bindings)
    if other is None or violation.expected is None or violation.seen is None:
        return violation, bindings
    index, axis, tensor = other
    if not _lost(tensor, axis, violation.seen, violation.expected, batch, before):
        return violation, bindings
    contract = readable(call.contract)
    assert contract is not None
    spec, shape = contract.inputs[index], tuple(_shape(tensor) or ())
    name = spec.axes[axis]
    reason = (
        f"{spec.label} is {shape_text(shape)} where {spec} wants {name} = {violation.seen} at axis {axis} "
        f"({name} = {violation.seen} by {violation.label}): it lost rows earlier"
    )
    given = Binding(name, violation.seen, f"{violation.label} (axis {violation.axis})")
    swapped = replace(
        violation, index=index, label=spec.label, spec=spec, shape=shape, axis=axis, reason=reason,
        expected=violation.seen, seen=violation.expected,
    )  # fmt: skip
    return swapped, {**bindings, name: given}


def _other(call: PlaceCall, violation: Violation, bindings: dict[str, Binding]) -> tuple[int, int, Tensor] | None:
    """(number, axis, tensor) of the argument that gave the axis its size."""
    contract = readable(call.contract)
    if contract is None or violation.phase != "in" or violation.axis is None:
        return None
    name = violation.spec.axes[violation.axis]
    by = bindings[name].by if name in bindings else ""
    for index, (spec, tensor) in enumerate(zip(contract.inputs, call.inputs, strict=False)):
        for axis, axis_name in enumerate(spec.axes):
            if axis_name == name and by == f"{spec.label} (axis {axis})" and "..." not in spec.axes:
                return index, axis, tensor
    return None


def _lost(
    tensor: Tensor, axis: int, full: int, left: int, batch: int | None, before: Iterable[PlaceCall]
) -> bool:  # fmt: skip
    """Whether a tensor of `left` rows had `full` before, or has no rows for each one of the batch where `full` is."""
    if left >= full:
        return False
    if batch and full % batch == 0 and left % batch:
        return True
    shape = _shape(tensor)
    if shape is None:
        return False
    wanted = [*shape[:axis], full, *shape[axis + 1 :]]
    tensors = (t for call in before for t in (*call.inputs, *(call.outputs or ())))
    return any(list(known) == wanted for t in tensors if (known := _shape(t)))


def _shape(tensor: Tensor) -> list[int | None] | None:
    if tensor.runtime is not None:
        return list(tensor.runtime)
    return tensor.static
