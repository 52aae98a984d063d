"""The part of a step behind the last weights, up to where its prediction meets data: no training changes it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .errors import Unsupported
from .ir import Graph, Input, Node, ancestors, descendants, split
from .row_sets import is_gradient
from .step import Step

_MEETINGS = frozenset({"Sub", "SquaredDifference"})
_PRODUCTS = frozenset({"Mul", "MulNoNan"})
_KEEPERS = frozenset({"AddV2", "Add", "Maximum", "Minimum", "ClipByValue", "Identity"})
"""Ops that keep the argument of a logarithm away from zero."""
_LEAST = 6
"""Ops of a part that computes something: an activation and a scale are none."""


@dataclasses.dataclass(frozen=True)
class Use:
    """A place at which an input (`tensor`) goes into ops of the part; `name` is what it is called once it is cut."""

    name: str
    tensor: str
    users: tuple[str, ...]
    frames: list[list[Any]]


@dataclasses.dataclass(frozen=True)
class FixedPart:
    """`free` are the network's results that it is given, `own` the data that it is given besides, `target` what its
    `prediction` meets in the op `meeting`.
    """

    meeting: str
    prediction: str
    target: str
    free: tuple[str, ...]
    own: tuple[str, ...]

    def cut(
        self, graph: Graph, shapes: Mapping[str, tuple[int, ...]], uses: Sequence[Use]
    ) -> tuple[Graph, dict[str, str]]:
        """The part alone, and what its free tensors are called in it: they are inputs, and so is each use of an input
        of its own.
        """
        names = {tensor: f"free_{number}:0" for number, tensor in enumerate(self.free)}
        made = [_placeholder(split(free)[0], graph.dtype(t), shapes[t]) for t, free in names.items()]
        by_user = {(user, use.tensor): use for use in uses for user in use.users}
        kinds = {f"{i.name}:0": i for i in graph.inputs}
        made += [_placeholder(split(u.name)[0], kinds[u.tensor].dtype, kinds[u.tensor].shape) for u in uses]
        nodes = {item.name: node for item, node in made}
        for name, node in graph.nodes.items():
            given = [by_user[name, t].name if (name, t) in by_user else names.get(t, t) for t in node.inputs]
            nodes[name] = dataclasses.replace(node, inputs=tuple(given))
        inputs = (*graph.inputs, *(item for item, _ in made))
        return graph.replace(nodes=nodes, inputs=inputs, outputs=(self.prediction,), controls=()), names

    def uses(self, graph: Graph, frames: Callable[[str], list[list[Any]]]) -> list[Use]:
        """The places of the program at which the part takes its own inputs, by the functions and layers around them."""
        part = ancestors(graph, [self.prediction], known=self.free)
        found: dict[tuple[Any, ...], list[str]] = {}
        for name, node in graph.nodes.items():
            for tensor in node.inputs if name in part else ():
                if tensor in self.own:
                    functions = [(f[0], f[2]) for f in frames(name)]
                    scope = name.rpartition("/")[0]  # two layers may be in one file, each with its `call`
                    found.setdefault((tensor, scope, *functions), []).append(name)
        return [
            Use(f"own_{number}:0", key[0], tuple(users), frames(users[0]))
            for number, (key, users) in enumerate(found.items())
        ]

    def transforms(self, graph: Graph) -> list[str]:
        """The Fourier transforms of the part."""
        part = ancestors(graph, [self.prediction], known=self.free)
        return [name for name, node in graph.nodes.items() if name in part and "FFT" in node.op]


def _placeholder(name: str, dtype: int, shape: tuple[int | None, ...] | None) -> tuple[Input, Node]:
    import tensorflow as tf

    definition = tf.compat.v1.NodeDef(name=name, op="Placeholder")
    definition.attr["dtype"].type = dtype
    definition.attr["shape"].shape.CopyFrom(tf.TensorShape(shape).as_proto())
    return Input(name, dtype, shape), Node(definition, ())


def fixed_part(step: Step) -> FixedPart | None:
    """The one whose prediction has the shortest way; None where the weights reach up to the data, or nothing has
    inputs of its own.

    Raises:
        Unsupported: something that it needs was not kept.
    """
    graph = step.pure.graph
    unknown = {i.name for i in graph.inputs if (i.label or i.name) in step.filled}
    weights = {i.name for i in graph.inputs if i.role == "variable"} & unknown
    given = {i.name for i in graph.inputs if i.role == "data"}
    learnt, of_data = (descendants(graph, names, controls=False) for names in (weights, given))
    backward = {n for n in graph.nodes if is_gradient(graph, n)}
    forward = (learnt & of_data) - descendants(graph, backward, controls=False)
    best: tuple[int, FixedPart] | None = None
    for name, prediction, target in _meetings(graph, forward, of_data - learnt):
        needed = ancestors(graph, [prediction])
        if best is not None and len(needed) >= best[0]:
            continue
        trained = {n for n in needed & forward if any(split(t)[0] in learnt - of_data for t in graph.nodes[n].inputs)}
        before = ancestors(graph, (), trained)
        behind = [n for n in graph.nodes if n in (needed & forward) - before]
        free = dict.fromkeys(
            t for n in behind for t in graph.nodes[n].inputs if split(t)[0] in before and split(t)[0] in forward
        )
        alone = ancestors(graph, [prediction], known=free)
        own = tuple(f"{i.name}:0" for i in graph.inputs if i.name in alone & given)
        if len(behind) < _LEAST or not free or not own or any(graph.dtype(t) != 1 for t in free):
            continue
        if alone & unknown:
            raise Unsupported(f"the values of {min(alone & unknown)} were not kept")
        best = len(needed), FixedPart(name, prediction, target, tuple(free), own)
    return best[1] if best is not None else None


def _meetings(graph: Graph, forward: set[str], data: set[str]) -> Iterator[tuple[str, str, str]]:
    """(op, prediction, data) of the differences of what is predicted and what was given, and of likelihoods: data times
    the logarithm of what is predicted, which is greatest where both are the same.
    """
    for name, node in graph.nodes.items():  # in their order: of equal ways, the same one is the shortest each time
        if name not in forward or node.op not in _MEETINGS | _PRODUCTS:
            continue
        for prediction, target in (node.inputs, node.inputs[::-1]):
            if split(prediction)[0] not in forward or split(target)[0] not in data:
                continue
            met = prediction if node.op in _MEETINGS else _in_logarithm(graph, prediction, forward)
            if met is not None:
                yield name, met, target


def _in_logarithm(graph: Graph, tensor: str, forward: set[str]) -> str | None:
    """What a logarithm is taken of, without a constant that keeps it from zero; None where it is none."""
    node = graph.nodes[split(tensor)[0]]
    if node.op == "Neg":
        return _in_logarithm(graph, node.inputs[0], forward)
    if node.op != "Log":
        return None
    tensor = node.inputs[0]
    while graph.nodes[split(tensor)[0]].op in _KEEPERS:
        ways = [t for t in graph.nodes[split(tensor)[0]].inputs if split(t)[0] in forward]
        if len(ways) != 1:
            return tensor
        tensor = ways[0]
    return tensor
