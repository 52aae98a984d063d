"""A program made ready to be evaluated: flat, its batch an input, its variables inputs, every input with a
value.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from .evaluate import Activation, Frames
from .extract import cut_iterators
from .functionalise import Pure, functionalise
from .inline import flatten
from .load import Array, Program, batch_of, value_for
from .machine import Machine


@dataclasses.dataclass(frozen=True)
class Step:
    """`pure.graph` is what is evaluated. `filled` names the inputs that got seeded noise, as the capsule
    does not hold their values.
    """

    program: Program
    pure: Pure
    arguments: Mapping[str, Array]
    filled: tuple[str, ...]

    def activation(self, frames: Frames) -> Activation:
        """The top frame with its arguments."""
        return Activation(frames, self.pure.graph, self.arguments)


def prepare(program: Program, *, batch: int | None = None) -> Step:
    """Flatten, cut and purify a program and give each input a value; what cannot be made pure is left out
    of evaluation.
    """
    pure = functionalise(cut_iterators(flatten(program)), strict=False)
    rows = batch or batch_of(program)
    arguments: dict[str, Array] = {}
    filled = []
    for item in pure.graph.inputs:
        if item.role in ("iterator", "resource"):
            continue
        value, recipe = value_for(program, item, rows)
        arguments[f"{item.name}:0"] = value
        if recipe == "random":
            filled.append(item.label or item.name)
    return Step(program, pure, arguments, tuple(filled))


def new_frames() -> Frames:
    """A machine of its own, for one step."""
    return Frames(Machine())
