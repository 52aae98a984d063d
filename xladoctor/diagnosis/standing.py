"""Whether a built-in contract describes this program at all.

A contract of the user's own places is a promise. A built-in one is knowledge about one version of one project: another
checkout may lay the same patches out otherwise, and be right. Three facts of a recording speak against such a contract:

- calls that ended well break it in the same way, and no call in this run keeps it;
- a call that ended well gave a size other than what a function of the program says (`P` by `get_padded_size()`): it may
  have been called for another size;
- the tensor has as many elements as the contract wants, in another layout, and no call in this run has the contract's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xladoctor.diagnosis.contracts import Binding, Checked, Violation, evaluate, readable
from xladoctor.diagnosis.places import PlaceCall, Tensor
from xladoctor.recording.run import Recording
from xladoctor.recording.schema import schema

Part = tuple[str, str, int, int | None]
"""(place, phase, number of the tensor, axis or None for the rank)."""


@dataclass(frozen=True)
class Standing:
    """What the calls of a run say of the built-in contracts: the parts that calls keep, those that good calls break."""

    own: frozenset[str] = frozenset()
    kept: frozenset[Part] = frozenset()
    disproved: frozenset[Part] = frozenset()

    def holds(
        self, call: PlaceCall, violation: Violation, bindings: dict[str, Binding], *, ended_well: bool = False
    ) -> bool:
        """Whether a violation says that something is wrong, and not that the contract is another project's."""
        if call.place in self.own:
            return True
        if ended_well and is_from_outside(violation, bindings):
            return False
        part = _part(call, violation)
        return part not in self.disproved and (part in self.kept or not other_layout(violation, bindings))


def standing(recording: Recording, ended_well: Iterable[PlaceCall], others: Iterable[PlaceCall]) -> Standing:
    """The standing of the contracts, from the calls of steps that ended well and from all `others`."""
    own = frozenset(str(e["place"]) for e in recording.of_kind(schema.PLACE_FOUND) if e.get("origin"))
    kept: set[Part] = set()
    broken: set[Part] = set()
    for calls, good in ((ended_well, True), (others, False)):
        for call in calls:
            if call.place in own or call.state == "not-executed":
                continue
            checked = call.known()
            kept |= _kept(call, checked)
            if good:
                broken |= {_part(call, v) for v in checked.violations}
    return Standing(own, frozenset(kept), frozenset(broken - kept))


def is_from_outside(violation: Violation, bindings: dict[str, Binding]) -> bool:
    """Whether the wrong size was asked for by no tensor of the call, but by what a function of the program gives."""
    axis = None if violation.axis is None else violation.spec.axes[violation.axis]
    return axis in bindings and bindings[axis].outside


def other_layout(violation: Violation, bindings: dict[str, Binding]) -> bool:
    """Whether the tensor has as many elements as its contract wants: (B*C N N 1) for (B N N C)."""
    wanted = expected_sizes(violation, bindings)
    if None in wanted or None in violation.shape:
        # Of an open size nothing is known: what is wrong may be the layout alone.
        return violation.axis is None or _may_be_the_same(violation, wanted)
    return math.prod(n for n in wanted if n is not None) == math.prod(n for n in violation.shape if n is not None)


def expected_sizes(violation: Violation, bindings: dict[str, Binding]) -> list[int | None]:
    """What the contract wants of each axis; None where that is not known."""
    values = {name: binding.value for name, binding in bindings.items()}
    return [None if axis == "..." else evaluate(axis, values) for axis in violation.spec.axes]


def _may_be_the_same(violation: Violation, wanted: Sequence[int | None]) -> bool:
    """Whether open sizes of the shape can make up for the axis that is wrong."""
    axis, shape = violation.axis, violation.shape
    return any(n is None and i != axis for i, n in enumerate(shape)) and any(n is None for n in wanted)


def _part(call: PlaceCall, violation: Violation) -> Part:
    return call.place, violation.phase, violation.index, violation.axis


def _kept(call: PlaceCall, checked: Checked) -> set[Part]:
    """The parts that a call keeps where it could have broken them: a size of 1 is like any other size of 1."""
    contract = readable(call.contract)
    if contract is None:
        return set()
    wrong = {(v.phase, v.index, v.axis) for v in checked.violations}
    found: set[Part] = set()
    for phase, specs, tensors in (("in", contract.inputs, call.inputs), ("out", contract.outputs, call.outputs or ())):
        for index, (spec, tensor) in enumerate(zip(specs, tensors, strict=False)):
            sizes = _sizes(tensor)
            if sizes is None or (phase, index, None) in wrong or "..." in spec.axes:
                continue
            found.add((call.place, phase, index, None))
            found |= {
                (call.place, phase, index, axis)
                for axis, size in enumerate(sizes)
                if size is not None and size > 1 and (phase, index, axis) not in wrong
            }
    return found


def _sizes(tensor: Tensor) -> Sequence[int | None] | None:
    return tensor.static if tensor.runtime is None else tensor.runtime
