"""What of a function is compared: all of it where XLA compiled it, else each call within it that XLA compiled.

A Keras step is compiled inside a function that takes the batch from an iterator; a user's compiled function may be
called by one that is not compiled. What such a call is given is computed plainly from the values of the outer call, and
then both ways start from the very same numbers.

Numbers that are drawn at random are drawn once, plainly, and given to both ways as well: XLA draws others by design,
and what is made of them can still be compared.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .. import compat_graph
from . import compiled
from .errors import GraphRoomError, Unsupported
from .evaluate import Activation
from .functionalise import Pure
from .ir import Graph, Origin, Region, ancestors, split
from .machine import Handle
from .measure import Array, Results, deviation
from .optionals import unwrap
from .outcome import closed, outcome_of, results_of
from .parity import Ways
from .randomness import drawn, draws, ops_within
from .step import Step
from .transform import cut_name, truncate

RESULT = "output:0"
"""A capsule has it where the run kept the results of a call: of a function that XLA may have compiled in parts."""
_NO_VALUE = (7, 20, 21)  # string, resource, variant
_WITH_KEY = 4
"""An op that draws from a key takes a shape, the key, a counter and the number of an algorithm."""
_SAME = 1e-3
"""Numbers of one key are the same but for the last places of a logarithm; others have nothing in common."""
_COMPARES = frozenset({"GreaterEqual", "Greater", "Less", "LessEqual"})
_STEPS = 4
"""So many ops lie between a draw and the comparison that makes a mask of it, at most: a scale, an offset, a cast."""
_KEPT_ALONE = frozenset({"Assert"})
"""Ops without a result that must run all the same: what they raise is to be seen."""


class Portion(Ways):
    """A part of a function, on the values that it is given there."""

    def __init__(self, ways: Ways, step: Step, name: str, given: Sequence[str]) -> None:
        self._whole = ways
        self._given = tuple(given)
        self.program = ways.program
        self.step = step
        self.frames = ways.frames
        self.name = name
        """The library function that the compiled call runs; "" for the whole."""
        self._batch, self._foreign, self.no_batch = ways._batch, ways._foreign, ways.no_batch
        self._tensors = results_of(step)
        self.arguments = {n: np.asarray(v) for n, v in step.arguments.items()}
        self._strict = {}
        self._known, self._allowed, self.compilations = {}, None, 0
        self.numbers: tuple[int, ...] = ()
        """Of a function that was compiled in parts: which of its outputs are compared."""
        self.held: tuple[str, ...] = ()
        """The ops whose random numbers are the same in both ways."""
        self.draws: tuple[dict[str, Any], ...] = ()
        """What they are: see `_told`."""
        self._function: tuple[Any, list[str]] | None = None

    def on(self, values: Mapping[str, Array]) -> Ways:
        """The same on what it is given in another call."""
        whole = self._whole.on(values)
        _refuse_unknown(whole, self._given)
        given = _plainly(whole, self._given)
        other = self._at(dataclasses.replace(self.step, arguments=_arguments(self.step.pure.graph, whole, given)))
        other._whole = whole  # type: ignore[attr-defined]
        return other

    def xla(self, arguments: Mapping[str, Array]) -> tuple[dict[str, Any], Results]:
        """The part as one XLA program."""
        if self._function is None:
            self._function = compiled.function_of(closed(self.step))
        function, names = self._function
        wanted = results_of(self.step)
        self.compilations += 1

        def run() -> Mapping[str, Any]:
            values = [compiled.array_of(v) for v in function(*compiled.values_of(arguments, names))]
            return dict(zip(wanted.values(), values, strict=True))

        return outcome_of(wanted, run)


def portions(ways: Ways) -> Iterator[Ways | str]:
    """The parts of a function that XLA compiled, or in the place of one why it cannot be compared."""
    graph = ways.step.pure.graph
    if ways.recorded_xla:
        yield _attempt(ways, ways, None)
        return
    if RESULT in ways.program.values:
        yield _attempt(ways, None, None)
        return
    regions = outermost(graph)
    for region in regions:
        yield _attempt(ways, None, region)
    if not regions:
        inner = any(r.xla for body in graph.bodies.values() for r in body.regions)
        yield "it is compiled within a loop or a branch" if inner else "XLA compiled nothing in it"


def outermost(graph: Graph) -> list[Region]:
    """The calls of the top frame that XLA compiled and that stand in no other one that it compiled."""
    found = [r for r in graph.regions if r.xla]
    return [r for r in found if not any(_within(r.path, o.path) for o in found if o is not r)]


def _attempt(ways: Ways, part: Ways | None, region: Region | None) -> Ways | str:
    try:
        part = part or (_of_clusters(ways) if region is None else _of_region(ways, region))
        return without_draws(part)
    except Unsupported as error:
        return str(error)


def _of_region(ways: Ways, region: Region) -> Portion:
    graph = ways.step.pure.graph
    inside = {n for n in graph.nodes if _within(_path(graph, n), region.path)}
    inside -= {i.name for i in graph.inputs}
    # What is waited for outside has been waited for: in a pure graph the order is that of the data.
    local = {n: dataclasses.replace(graph.nodes[n], controls=_only(graph.nodes[n].controls, inside)) for n in inside}
    cut = dict.fromkeys(
        t for n in graph.nodes if n in inside for t in graph.nodes[n].inputs if split(t)[0] not in inside
    )
    constant = {t for t in cut if graph.nodes[split(t)[0]].op == "Const"}
    given = [t for t in cut if t not in constant]
    finals = {v: t for v, t in ways.step.pure.finals.items() if split(t)[0] in inside}
    outputs = [t for t in dict.fromkeys(region.results) if split(t)[0] in inside and graph.dtype(t) not in _NO_VALUE]
    asserts = [n for n in inside if graph.nodes[n].op in _KEPT_ALONE]
    if not outputs and not finals and not asserts:
        raise Unsupported("its results have no values that could be compared")
    _refuse_unknown(ways, given)
    values = _plainly(ways, given)
    small = truncate(graph.replace(nodes={**graph.nodes, **local}), [*outputs, *finals.values()], asserts, given)
    return Portion(ways, _step(ways, small, outputs, finals, values), region.function, given)


def _of_clusters(ways: Ways) -> Portion:
    """All that auto-clustering could compile: what XLA has no kernel for is computed plainly and given to both ways."""
    graph = ways.step.pure.graph
    given = {i.name for i in graph.inputs}
    cut = [
        t
        for n, node in graph.nodes.items()
        if n not in given and not all(_compiles(op) for op in (node.op, *ops_within(graph, n, set())))
        for t in ways.frames.loaded(graph).outputs(n)
    ]
    cut = [t for t in cut if graph.dtype(t) not in _NO_VALUE]
    needed = ancestors(graph, results_of(ways.step).values())
    cut = [t for t in cut if split(t)[0] in needed]
    # What is not compiled is the same in both ways.
    same = {t for t in graph.outputs if t in cut or graph.dtype(t) in _NO_VALUE}
    outputs = {i: t for i, t in enumerate(graph.outputs) if t not in same}
    finals = {v: t for v, t in ways.step.pure.finals.items() if t not in cut}
    if not outputs and not finals:
        raise Unsupported("XLA has a kernel for none of it")
    small = truncate(graph, [*outputs.values(), *finals.values()], (), cut)
    step = _step(ways, small, list(outputs.values()), finals, _plainly(ways, cut))
    part = Portion(ways, step, "", cut)
    part.numbers = tuple(outputs)
    return part


@functools.cache
def _compiles(op: str) -> bool:
    _load_kernels()
    return op in ("Placeholder", "Const", "NoOp") or compat_graph.xla_compiles(op)


@functools.cache
def _load_kernels() -> None:
    """Let XLA compile something: it does not say what it has kernels for before that."""
    import tensorflow as tf

    tf.function(lambda x: x + 1, jit_compile=True)(tf.constant(1))


def without_draws(ways: Ways) -> Ways:
    """The same with the numbers that it draws as arguments, drawn once; itself if it draws none.

    Raises Unsupported where they are drawn in a loop or a branch.
    """
    graph = ways.step.pure.graph
    needed = ancestors(graph, list(results_of(ways.step).values()), graph.controls)
    free, seeded = ({n: op for n, op in found.items() if n in needed} for found in drawn(graph))
    inner = next((n for n in free if not draws(graph.nodes[n].op)), None)
    if inner is not None:
        raise Unsupported(f"draws random numbers within a loop or a branch ({free[inner]})")
    nodes = [n for n in (*free, *seeded) if draws(graph.nodes[n].op)]
    if not nodes:
        return ways
    tensors = [t for n in nodes for t in ways.frames.loaded(graph).outputs(n)]
    values = _plainly(ways, tensors)
    wanted = results_of(ways.step)
    finals = ways.step.pure.finals
    outputs = [t for name, t in wanted.items() if t not in set(finals.values())]
    small = truncate(graph, [*outputs, *finals.values()], graph.controls, tensors)
    part = Portion(ways, _step(ways, small, outputs, finals, values), getattr(ways, "name", ""), tensors)
    part.held = tuple(dict.fromkeys(graph.nodes[n].op for n in nodes))
    part.draws = tuple(_told(ways, [n for n in nodes if n in seeded], [n for n in nodes if n in free], values))
    return part


def _told(
    ways: Ways, seeded: Sequence[str], free: Sequence[str], values: Mapping[str, Array]
) -> Iterator[dict[str, Any]]:
    """{"op", "node", "key", "counter", "shape", "same", "fixed", "mask", "sources", "call_sources"} of each draw.

    `same` is whether XLA draws the same numbers from that key (None where that is not known), `fixed` whether every
    call of the function draws from it, `mask` whether it decides what is left out of a step that writes variables. One
    with a state of its own has no key.
    """
    graph = ways.step.pure.graph
    under_xla = _under_xla(ways, [f"{n}:0" for n in seeded])
    for name in (*seeded, *free):
        told: dict[str, Any] = {"op": graph.nodes[name].op, "node": name, "key": None, "counter": None}
        inputs = graph.nodes[name].inputs
        if name in seeded and len(inputs) >= _WITH_KEY:
            found = _plainly(ways, inputs[1:3])
            told |= {"key": _texts(found[inputs[1]]), "counter": _texts(found[inputs[2]])}
        plain, other = values[f"{name}:0"], under_xla.get(f"{name}:0")
        same = None if other is None else other.shape == plain.shape and deviation(plain, other) < _SAME
        behind = ancestors(graph, inputs[1:3])
        origin = graph.origins[name]
        program = ways.program
        yield {
            **told,
            "shape": list(plain.shape),
            "same": same,
            "mask": bool(ways.step.pure.finals) and "Uniform" in str(told["op"]) and _is_compared(graph, name),
            "fixed": name in seeded and not any(i.name in behind for i in graph.inputs),
            "sources": program.frames(origin.function, origin.node),
            "call_sources": [program.frames(function, node) for function, node in graph.calls(origin.path)],
        }


def _under_xla(ways: Ways, tensors: Sequence[str]) -> Mapping[str, Array]:
    if not tensors:
        return {}
    try:
        part = unwrap(truncate(ways.step.pure.graph, tensors))
        return dict(zip(tensors, compiled.run_compiled(part, ways.step.arguments), strict=True))
    except GraphRoomError:
        return {}
    except Exception as error:
        if not type(error).__module__.startswith("tensorflow"):
            raise
        return {}


def _is_compared(graph: Graph, name: str) -> bool:
    reached = {name}
    for _ in range(_STEPS):
        users = [n for n, node in graph.nodes.items() if any(split(t)[0] in reached for t in node.inputs)]
        if any(graph.nodes[n].op in _COMPARES for n in users):
            return True
        reached = set(users)
    return False


def _texts(value: Array) -> list[str]:
    return [str(int(n)) for n in value.ravel()]


def _step(
    ways: Ways, graph: Graph, outputs: Sequence[str], finals: Mapping[str, str], values: Mapping[str, Array]
) -> Step:
    """A step of a truncated graph, whose outputs are those named and the contents of variables after them."""
    tensors = graph.outputs[len(outputs) :]
    graph = graph.replace(
        origins={**graph.origins, **{n: _origin(graph, n) for n in graph.nodes}},
        regions=tuple(_left(region, graph) for region in graph.regions),
    )
    pure = Pure(graph.replace(outputs=graph.outputs[: len(outputs)]), dict(zip(finals, tensors, strict=True)), {})
    arguments = _arguments(graph, ways, values)
    filled = tuple(
        i.label or i.name for i in graph.inputs if (i.label or i.name) in ways.step.filled and i.role != "data"
    )
    return dataclasses.replace(ways.step, pure=pure, arguments=arguments, filled=filled, left_out={}, guessed={})


def _arguments(graph: Graph, ways: Ways, values: Mapping[str, Array]) -> dict[str, Array]:
    """What a truncated graph is given: arguments of the whole, and the values at which it was cut."""
    known = {**ways.arguments, **{cut_name(t): v for t, v in values.items()}}
    return {f"{i.name}:0": known[f"{i.name}:0"] for i in graph.inputs if f"{i.name}:0" in known}


def _refuse_unknown(ways: Ways, tensors: Sequence[str]) -> None:
    """Raise Unsupported where what a call is given depends on a value that was made up."""
    graph = ways.step.pure.graph
    needed = ancestors(graph, tensors)
    for item in sorted(graph.inputs, key=lambda i: i.role != "data"):
        if item.name in needed and (item.label or item.name) in ways.step.filled:
            raise Unsupported(
                (ways.no_batch or "the batch could not be had")
                if item.role == "data"
                else f"the value of {item.name} was not kept"
            )


def _plainly(ways: Ways, tensors: Sequence[str]) -> dict[str, Array]:
    """The values of tensors in the plain run. Raises Unsupported where one cannot be had."""
    graph = ways.step.pure.graph
    activation = Activation(ways.frames, graph, ways.step.arguments)
    activation.compute(tensors)
    found: dict[str, Array] = {}
    for tensor in tensors:
        value = activation.values.get(tensor)
        if value is None:
            why = activation.unavailable.get(split(tensor)[0], "an op before it fails plainly")
            raise Unsupported(f"what it is given could not be computed: {why}")
        if isinstance(value, Handle):
            raise Unsupported("it is given something that has no value to be kept (a list of tensors, an optional)")
        found[tensor] = np.asarray(value)
    return found


def _path(graph: Graph, name: str) -> tuple[str, ...]:
    """The calls on the way to a node."""
    return _origin(graph, name).path


def _origin(graph: Graph, name: str) -> Origin:
    """Where a node comes from; one that was put in beside another or in its place stands where that one does."""
    while name not in graph.origins and "/__" in name:
        name = name.rpartition("/__")[0]
    return graph.origins.get(name) or Origin((), graph.name, name, ())


def _left(region: Region, graph: Graph) -> Region:
    """What is left of a call that was inlined: what it took from outside may be gone."""
    arguments = tuple(t for t in region.arguments if split(t)[0] in graph.nodes)
    return dataclasses.replace(region, arguments=arguments)


def _within(path: tuple[str, ...], region: tuple[str, ...]) -> bool:
    return path[: len(region)] == region


def _only(names: Sequence[str], inside: set[str]) -> tuple[str, ...]:
    return tuple(n for n in names if n in inside)
