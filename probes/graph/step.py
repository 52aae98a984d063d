"""A program made ready to be evaluated: flat, its batch an input, its variables inputs, every input with a
value.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from .errors import Unsupported
from .evaluate import Activation, Frames
from .extract import cut_iterators
from .functionalise import Pure, functionalise
from .holes import detached
from .inline import flatten
from .ir import Input
from .load import Array, Program, batch_of, guessed_axes, value_for
from .machine import Machine
from .safety import refuse_unsafe, seal
from .transform import check_rows, fix_batch


@dataclasses.dataclass(frozen=True)
class Step:
    """What is evaluated: `pure.graph`, with `arguments`.

    `filled` names the inputs that got seeded noise, as the capsule does not hold their values; `guessed` those of them
    of which sizes were made up too, with these axes (None: not even their number was known); `left_out` the nodes that
    are never run (`safety`) or could not be made pure, with the reason.
    """

    program: Program
    pure: Pure
    arguments: Mapping[str, Array]
    filled: tuple[str, ...]
    left_out: Mapping[str, str]
    guessed: Mapping[str, list[int] | None] = dataclasses.field(default_factory=dict)

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
    arguments, filled, guessed = _arguments(program, graph.inputs, batch, rows)
    pure = functionalise(fix_batch(graph, rows) if static else graph, strict=strict)
    pure = dataclasses.replace(pure, graph=detached(pure.graph))
    return Step(program, pure, arguments, filled, {**left_out, **pure.unsupported}, guessed)


def with_values(step: Step, values: Mapping[str, Array]) -> Step:
    """The same step on the values of another call: the graph is shared, and only what is fed differs."""
    program = dataclasses.replace(step.program, values=values)
    arguments, filled, guessed = _arguments(program, step.pure.graph.inputs, None, batch_of(program))
    return dataclasses.replace(step, program=program, arguments=arguments, filled=filled, guessed=guessed)


def with_rows(step: Step, rows: int) -> Step:
    """The same step on another number of rows: the graph is shared, and only what is fed differs.

    Raises:
        Unsupported: the graph was traced for a fixed number of rows, and that is another one.
    """
    check_rows(step.pure.graph, rows)
    arguments, filled, guessed = _arguments(step.program, step.pure.graph.inputs, rows, rows)
    return dataclasses.replace(step, arguments=arguments, filled=filled, guessed=guessed)


def _arguments(
    program: Program, inputs: Iterable[Input], batch: int | None, rows: int
) -> tuple[dict[str, Array], tuple[str, ...], dict[str, list[int] | None]]:
    """(a value for each input that can have one, the names of those that got noise, the made-up axes of these).
    `batch` are the rows that the caller asks for, if any.
    """
    arguments: dict[str, Array] = {}
    filled = []
    guessed = {}
    for item in inputs:
        if item.role in ("iterator", "resource"):
            continue
        value, recipe = value_for(program, item, rows)
        arguments[f"{item.name}:0"] = value
        if recipe == "random":
            name = item.label or item.name
            filled.append(name)
            axes = guessed_axes(item, program, batch)
            if axes != []:
                guessed[name] = axes
    return arguments, tuple(filled), guessed


def new_frames() -> Frames:
    """A machine of its own, for one step."""
    return Frames(Machine())


@contextmanager
def frames_once() -> Iterator[Frames]:
    """The same for one question, after which its memory is given back."""
    frames = new_frames()
    try:
        yield frames
    finally:
        frames.machine.close()
