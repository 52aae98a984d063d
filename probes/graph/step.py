"""A program made ready to be evaluated: flat, its batch an input, its variables inputs, every input with a
value.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from .errors import Unsupported
from .evaluate import Activation, Frames
from .extract import cut_iterators
from .functionalise import Pure, functionalise
from .holes import detached
from .inline import flatten
from .load import Array, Program, batch_of, value_for
from .machine import Machine
from .safety import refuse_unsafe, seal
from .transform import fix_batch


@dataclasses.dataclass(frozen=True)
class Step:
    """What is evaluated: `pure.graph`, with `arguments`.

    `filled` names the inputs that got seeded noise, as the capsule does not hold their values; `left_out`
    the nodes that are never run (`safety`) or could not be made pure, with the reason.
    """

    program: Program
    pure: Pure
    arguments: Mapping[str, Array]
    filled: tuple[str, ...]
    left_out: Mapping[str, str]

    def activation(self, frames: Frames) -> Activation:
        """The top frame with its arguments."""
        return Activation(frames, self.pure.graph, self.arguments)


def prepare(
    program: Program,
    *,
    batch: int | None = None,
    static: bool = False,
    foreign: bool = False,
    calls: bool = True,
    strict: bool = False,
) -> Step:
    """Flatten, cut and purify a program and give each input a value.

    `batch` takes that many rows where the signature leaves them open; with `static` the signature is bound to them
    as well (`fix_batch`). Ops that may touch files, network or Python are never run; a `foreign` program is refused
    as a whole if it holds one. `calls=False` keeps the call structure (for XLA), `strict` raises Unsupported where
    something would be left out.
    """
    if foreign:
        refuse_unsafe(program)
    graph, left_out = seal(cut_iterators(flatten(program, calls=calls)))
    if strict and left_out:
        node, reason = next(iter(left_out.items()))
        raise Unsupported(f"node {node}: {reason}")
    rows = batch or batch_of(program)
    arguments: dict[str, Array] = {}
    filled = []
    for item in graph.inputs:
        if item.role in ("iterator", "resource"):
            continue
        value, recipe = value_for(program, item, rows)
        arguments[f"{item.name}:0"] = value
        if recipe == "random":
            filled.append(item.label or item.name)
    pure = functionalise(fix_batch(graph, rows) if static else graph, strict=strict)
    pure = dataclasses.replace(pure, graph=detached(pure.graph))
    return Step(program, pure, arguments, tuple(filled), {**left_out, **pure.unsupported})


def new_frames() -> Frames:
    """A machine of its own, for one step."""
    return Frames(Machine())
