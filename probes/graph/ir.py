"""The graph as the graph room sees it: flat, named, ordered, and immutable.

A tensor is "node:output", a control input "^node", as in a GraphDef, always with the output's number.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

CONTROL_FLOW: Mapping[str, tuple[str, ...]] = {
    "If": ("then_branch", "else_branch"),
    "StatelessIf": ("then_branch", "else_branch"),
    "Case": ("branches",),
    "StatelessCase": ("branches",),
    "While": ("cond", "body"),
    "StatelessWhile": ("cond", "body"),
    "PartitionedCall": ("f",),
    "StatefulPartitionedCall": ("f",),
}
"""Ops that run functions, and the attributes that name these. Bodies of control flow are never inlined: which of
them runs is a matter of values. Calls are, unless the call structure is to be kept for XLA.
"""

CALLS = frozenset({"PartitionedCall", "StatefulPartitionedCall"})
IFS = frozenset({"If", "StatelessIf", "Case", "StatelessCase"})
WHILES = frozenset({"While", "StatelessWhile"})


@dataclasses.dataclass(frozen=True)
class Origin:
    """Where a flat node comes from: the call nodes on the way, the library function ("" on top), its name
    there, its order.
    """

    path: tuple[str, ...]
    function: str
    node: str
    order: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Input:
    """A placeholder of a graph. `role` is argument, data, variable, iterator or resource; `key` names its
    value.
    """

    name: str
    dtype: int
    shape: tuple[int | None, ...] | None
    role: str = "argument"
    key: str | None = None
    label: str | None = None
    captured: bool = False
    """A tensor (no variable) that the function captured: the same in every call."""


@dataclasses.dataclass(frozen=True)
class Region:
    """A call that was inlined: from which node, to which function, with which tensors in and out, and
    whether it asked for XLA.
    """

    path: tuple[str, ...]
    function: str
    xla: bool
    order: tuple[int, ...]
    arguments: tuple[str, ...]
    results: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Node:
    """One operation: its NodeDef (whose own `input` is not used), data inputs and control inputs."""

    definition: Any
    inputs: tuple[str, ...]
    controls: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The flat name."""
        return str(self.definition.name)

    @property
    def op(self) -> str:
        """The name of the operation, e.g. Reshape."""
        return str(self.definition.op)


@dataclasses.dataclass(frozen=True)
class Graph:
    """A flat graph. `nodes` are in topological order, which follows program order where that is free."""

    name: str
    nodes: Mapping[str, Node]
    inputs: tuple[Input, ...]
    outputs: tuple[str, ...]
    controls: tuple[str, ...]
    origins: Mapping[str, Origin]
    regions: tuple[Region, ...]
    aliases: Mapping[tuple[tuple[str, ...], str], str | tuple[str, ...]]
    """(path, node there) -> the flat node, or (for a call that was inlined, an argument, an iterator) its
    flat tensors."""
    bodies: Mapping[str, Graph]
    """Flattened functions of control flow nodes, by name."""
    functions: Mapping[str, Any]
    """The library as it came: FunctionDefs that other ops (MapDefun and the like) refer to."""

    def tensor(self, path: tuple[str, ...], tensor: str) -> str | None:
        """The flat name of a tensor that is called `node:output` in the function at `path`."""
        node, index = split(tensor)
        alias = self.aliases.get((path, node))
        if alias is None:
            return None
        if isinstance(alias, str):
            return f"{alias}:{index}"
        return alias[index] if index < len(alias) else None

    def dtype(self, tensor: str) -> int:
        """The DataType of a flat tensor."""
        from .opdefs import dtype_of

        node, index = split(tensor)
        return dtype_of(self.nodes[node].definition, index, self.functions)

    def calls(self, path: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        """(function in which it stands, node) of each call on a path of this frame."""
        called = {region.path: region.function for region in self.regions}
        within = [called.get(path[:i], self.name) if i else self.name for i in range(len(path))]
        return tuple(zip(within, path, strict=True))

    def replace(self, **changes: Any) -> Graph:
        """A copy with some fields changed."""
        return dataclasses.replace(self, **changes)


def split(tensor: str) -> tuple[str, int]:
    """("node", output number) of a tensor name."""
    node, _, index = tensor.rpartition(":")
    return (node, int(index)) if node and index.isdigit() else (tensor, 0)


def canonical(reference: str) -> str:
    """A data input of a GraphDef with its output number: "x" is "x:0"."""
    node, index = split(reference)
    return f"{node}:{index}"


def body_names(node: Node) -> Iterator[str]:
    """The functions that a control flow node names."""
    for attribute in CONTROL_FLOW.get(node.op, ()):
        value = node.definition.attr[attribute]
        if value.HasField("func"):
            yield str(value.func.name)
        else:
            yield from (str(f.name) for f in value.list.func)


def rename(definition: Any, names: list[str]) -> None:
    """Let a NodeDef run other functions, in the order of `body_names`."""
    rest = list(names)
    for attribute in ("then_branch", "else_branch", "cond", "body", "f"):
        if attribute in definition.attr and definition.attr[attribute].HasField("func"):
            definition.attr[attribute].func.name = rest.pop(0)
    for function in definition.attr["branches"].list.func if "branches" in definition.attr else ():
        function.name = rest.pop(0)


def sources(node: Node) -> Iterator[str]:
    """The nodes that a node waits for, data and control."""
    for tensor in node.inputs:
        yield split(tensor)[0]
    yield from node.controls


def reach(start: Iterable[str], onward: Callable[[str], Iterable[str]], most: int | None = None) -> Iterator[str]:
    """What can be reached from some names, themselves included: each once, and no more than `most`."""
    todo, seen = list(start), set[str]()
    while todo and (most is None or len(seen) < most):
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            yield name
            todo += onward(name)


def inputs_of(graph: Graph, name: str) -> list[str]:
    """The nodes whose results a node takes."""
    return [split(t)[0] for t in graph.nodes[name].inputs]


def ancestors(graph: Graph, tensors: Iterable[str], nodes: Iterable[str] = (), known: Iterable[str] = ()) -> set[str]:
    """The nodes that must run to have `tensors` (and `nodes`), when the tensors in `known` are there
    already.
    """
    have = set(known)

    def onward(name: str) -> list[str]:
        node = graph.nodes[name]
        return [*(split(t)[0] for t in node.inputs if t not in have), *node.controls]

    return set(reach([*(split(t)[0] for t in tensors if t not in have), *nodes], onward))


def descendants(graph: Graph, start: Iterable[str], *, controls: bool = True) -> set[str]:
    """The nodes that depend on any of `start`, those included; by data alone if `controls` are not to count."""
    reached = set(start)
    if not reached:
        return reached
    for name, node in graph.nodes.items():
        waits = sources(node) if controls else (split(t)[0] for t in node.inputs)
        if name not in reached and any(s in reached for s in waits):
            reached.add(name)
    return reached


def in_order(names: Iterable[str], waits_for: Callable[[str], Iterable[str]]) -> list[str]:
    """Names sorted so that each comes after what it waits for, otherwise as they were given.

    A loop (old-style control flow has them) is broken where it is met.
    """
    given = list(names)
    member = set(given)
    done: set[str] = set()
    sorted_names: list[str] = []
    for name in given:
        stack: list[tuple[str, Iterator[str]]] = []
        if name not in done:
            done.add(name)
            stack.append((name, iter(tuple(waits_for(name)))))
        while stack:
            current, rest = stack[-1]
            for other in rest:
                if other in member and other not in done:
                    done.add(other)
                    stack.append((other, iter(tuple(waits_for(other)))))
                    break
            else:
                sorted_names.append(current)
                stack.pop()
    return sorted_names
