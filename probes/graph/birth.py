"""Where a wrong size comes from: from a tensor back to the op at which its axis took that size.

Back along the inputs that have the size already, into the branch that was taken and the body of the loop, out again
where an argument comes from; until an op has the size on its output and on none of its inputs. Of several such ops the
one is meant that *loses* rows: a sum over 64 patches, and not the zeros that it is added to.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np

from ..protocol.outcomes import Origin
from .evaluate import Activation, Frames
from .failing import describe_input
from .ir import IFS, WHILES, body_names, split
from .machine import Handle
from .shapes import MAX_ITERATIONS
from .step import Step, new_frames

# Far more than the way from a place's result to its arguments; a bound all the same.
_MAX_NODES = 400


@dataclasses.dataclass(frozen=True)
class _Frame:
    """An activation, the control flow node that it belongs to (with that node's frame), and the call path to it."""

    activation: Activation
    path: tuple[str, ...]
    outer: _Frame | None = None
    node: str = ""

    def outside(self, argument: str) -> str | None:
        """The tensor of the outer frame that feeds an argument of this one."""
        if self.outer is None:
            return None
        names = [i.name for i in self.activation.graph.inputs]
        if argument not in names:
            return None
        definition = self.outer.activation.graph.nodes[self.node]
        shift = 1 if definition.op in IFS else 0
        index = names.index(argument) + shift
        return definition.inputs[index] if index < len(definition.inputs) else None


@dataclasses.dataclass(frozen=True)
class _Birth:
    frame: _Frame
    tensor: str
    loses: bool
    takes: bool
    """Whether it is given rows of numbers, other than a shape or what is drawn anew."""


def birth(
    step: Step,
    graph: str,
    tensor: str,
    path: Sequence[str],
    axis: int,
    known: Sequence[str] = (),
    frames: Frames | None = None,
) -> Origin | None:
    """The op at which `axis` of a tensor took the size that it has; None where it is not computed in this step.

    `graph` and `tensor` name it as in Python, `path` is the call path of its occurrence (outside control flow). `known`
    are tensors at the same place that may be taken as given (the arguments of the call): nothing before them is run
    again.
    """
    activation = step.activation(frames or new_frames())
    flat = activation.graph.tensor(tuple(path), tensor)
    if flat is None:
        return None
    given = [t for name in known if (t := activation.graph.tensor(tuple(path), name)) is not None]
    activation.compute([*given, flat])
    shape = _shape(activation, flat)
    if shape is None or axis >= len(shape):
        return None
    best = _Search(axis, shape[axis], len(shape)).best(activation, flat)
    return None if best is None else _described(step, best, axis)


def rows_birth(step: Step, rows: int, frames: Frames | None = None) -> Origin | None:
    """The op at which the first result that has not `rows` rows took the number that it has; None where all have.

    Its `output` is the number of the result.
    """
    activation = step.activation(frames or new_frames())
    for number, output in enumerate(activation.graph.outputs):
        activation.compute([output])
        shape = _shape(activation, output)
        if shape and shape[0] != rows:
            # Rows stay rows where a result is flattened or gets an axis: of whatever rank.
            best = _Search(0, shape[0]).best(activation, output)
            return None if best is None else dataclasses.replace(_described(step, best, 0), output=number)
    return None


def birth_of(step: Step, tensor: str, axis: int, frames: Frames) -> Origin | None:
    """The op at which an axis of a flat tensor of the step took its size: what `birth` returns."""
    activation = step.activation(frames)
    activation.compute([tensor])
    shape = _shape(activation, tensor)
    if shape is None or axis >= len(shape):
        return None
    best = _Search(axis, shape[axis]).best(activation, tensor)
    return None if best is None else _described(step, best, axis)


class _Search:
    """The way back of a `size` at an `axis`; with a `rank`, only through tensors of that rank."""

    def __init__(self, axis: int, size: int, rank: int | None = None) -> None:
        self.axis, self.size, self.rank = axis, size, rank
        self._seen: set[tuple[int, str]] = set()

    def best(self, activation: Activation, tensor: str) -> _Birth | None:
        """The birth that loses rows, else the first that is given some, else the first."""
        births = list(self.back(_Frame(activation, ()), tensor))
        return next((b for b in births if b.loses), next((b for b in births if b.takes), next(iter(births), None)))

    def back(self, frame: _Frame, tensor: str) -> Iterator[_Birth]:
        """The births of the size on the ways back from a tensor."""
        key = (id(frame.activation), tensor)
        if key in self._seen or len(self._seen) > _MAX_NODES:
            return
        self._seen.add(key)
        name, index = split(tensor)
        graph = frame.activation.graph
        if any(item.name == name for item in graph.inputs):
            outside = frame.outside(name)
            if outside is not None and frame.outer is not None:
                yield from self.back(frame.outer, outside)
            return
        node = graph.nodes[name]
        if node.op in IFS:
            taken = frame.activation.branch(name)
            if taken is not None:
                yield from self._into(frame, name, taken[1], index)
        elif node.op in WHILES:
            body = _last_round(frame.activation, name)
            if body is not None:
                yield from self._into(frame, name, body, index)
            else:
                yield from self.back(frame, node.inputs[index])
        else:
            inputs = node.inputs[index : index + 1] if node.op == "IdentityN" else node.inputs
            frame.activation.compute(list(inputs))
            shapes = {t: s for t in inputs if (s := _shape(frame.activation, t)) is not None and len(s) > self.axis}
            same = [t for t, s in shapes.items() if s[self.axis] == self.size and self._follows(frame.activation, t, s)]
            for source in same:
                yield from self.back(frame, source)
            if not same:
                rows = [s[self.axis] for t, s in shapes.items() if len(s) > 1 and _is_data(frame.activation, t)]
                yield _Birth(frame, tensor, loses=any(n > self.size for n in rows), takes=bool(rows))

    def _follows(self, activation: Activation, tensor: str, shape: Sequence[int]) -> bool:
        """Whether a tensor of the size can be the one that handed it on; a list of whole numbers is a shape."""
        return self.rank == len(shape) if self.rank is not None else len(shape) > 1 or _is_data(activation, tensor)

    def _into(self, frame: _Frame, node: str, inner: Activation, index: int) -> Iterator[_Birth]:
        origin = frame.activation.graph.origins[node]
        path = (*frame.path, *origin.path, origin.node)
        yield from self.back(_Frame(inner, path, frame, node), inner.graph.outputs[index])


def _last_round(outer: Activation, name: str) -> Activation | None:
    """The last round of a loop, entered with its values; None if it made none."""
    condition, body = body_names(outer.graph.nodes[name])
    values = outer.loop_start(name)
    last = None
    for _ in range(MAX_ITERATIONS):
        if values is None:
            break
        question = outer.enter(condition, values)
        question.compute(question.graph.outputs)
        answer = question.values.get(question.graph.outputs[0])
        if answer is None or not np.asarray(answer).any():
            break
        last = outer.enter(body, values)
        last.compute(last.graph.outputs)
        ready = all(t in last.values for t in last.graph.outputs)
        values = [last.values[t] for t in last.graph.outputs] if ready else None
    return last


def _is_data(activation: Activation, tensor: str) -> bool:
    """Real or complex numbers: not an index, a shape or a condition."""
    return np.asarray(activation.values[tensor]).dtype.kind in "fcV"


def _shape(activation: Activation, tensor: str) -> tuple[int, ...] | None:
    value = activation.values.get(tensor)
    return None if value is None or isinstance(value, Handle) else np.asarray(value).shape


def _described(step: Step, found: _Birth, axis: int) -> Origin:
    graph = found.frame.activation.graph
    name, _ = split(found.tensor)
    origin = graph.origins[name]
    shape = _shape(found.frame.activation, found.tensor)
    if shape is None:
        found.frame.activation.compute([found.tensor])
        shape = _shape(found.frame.activation, found.tensor)
    path = (*found.frame.path, *origin.path)
    return Origin(
        node="/".join((*path, origin.node)),
        op=graph.nodes[name].op,
        path=path,
        function=origin.function,
        inner_node=origin.node,
        loses=found.loses,
        axis=axis,
        shape=shape,
        inputs=tuple(describe_input(found.frame.activation, t) for t in graph.nodes[name].inputs),
        sources=step.program.lines(origin.function, origin.node),
    )
