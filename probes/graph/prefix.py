"""The first ops of a program, as a program of their own: also where the last of them stands in the body of a loop.

Bisection asks whether the first k ops compile. Of the frame in which op k stands, and of every frame around it, only
what comes before is kept; the call, branch or loop in between keeps its place and its arguments, so that XLA sees the
same kind of values as in the whole program: what was no constant there is none here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from .errors import Unsupported
from .inline import placeholder
from .ir import CALLS, CONTROL_FLOW, IFS, WHILES, Graph, Input, Node, ancestors, body_names, rename, split
from .leaves import AddUp, has_number, leaves, values

_DT_FLOAT = 1
_NEVER_FAIL = frozenset({"Const", "NoOp", "Placeholder"})
# A program that is unrolled beyond this (calls in calls in calls) is not a graph that somebody compiles.
_MAX_OPS = 400_000


@dataclasses.dataclass(frozen=True)
class Spot:
    """Where an op stands: the (node, number of its body) on the way in, from the outermost, and its flat name there."""

    way: tuple[tuple[str, int], ...]
    node: str


def inlined(graph: Graph, spot: Spot) -> Spot:
    """The same spot in the flat form of a graph whose calls were kept."""
    way: list[tuple[str, int]] = []
    before = ""
    for node, number in spot.way:
        inner = list(body_names(graph.nodes[node]))[number]
        if graph.nodes[node].op in CALLS:
            before += f"{node}/"
        else:
            way.append((f"{before}{node}", number))
            before = ""
        graph = graph.bodies[inner]
    return Spot(tuple(way), f"{before}{spot.node}")


def outline(graph: Graph) -> list[Spot]:
    """All ops in program order, those of a body before the node that runs it. Inputs and constants are no ops."""
    found: list[Spot] = []
    for spot in _spots(graph, ()):
        found.append(spot)
        if len(found) > _MAX_OPS:
            raise Unsupported(f"more than {_MAX_OPS} ops, each body counted wherever it is called")
    return found


def prefix(graph: Graph, spot: Spot, *, alone: bool = False, before: bool = False) -> Graph:
    """What is left of a pure graph when everything behind `spot` is cut off.

    Its outputs are the values that nothing uses any more. A loop whose body is cut keeps its signature: a variable
    whose new value is cut off gets another one that XLA cannot know either. Such a loop may never end: it is to be
    compiled, not to be run.

    With `alone`, only what op `spot` itself depends on is kept, and its results are the outputs; with `before` besides,
    what it is given is, and the op itself is not there.
    """
    bodies = dict(graph.bodies)
    cut = _frame(graph, _Making(bodies, alone, before), spot.way, spot.node)
    return graph.replace(nodes=cut.nodes, outputs=tuple(cut.outputs), controls=tuple(cut.controls), bodies=bodies)


def frame_of(graph: Graph, spot: Spot) -> Graph:
    """The graph of the body (or the top) in which a spot stands."""
    frame = graph
    for node, number in spot.way:
        frame = graph.bodies[list(body_names(frame.nodes[node]))[number]]
    return frame


def _spots(graph: Graph, way: tuple[tuple[str, int], ...]) -> Iterator[Spot]:
    given = {item.name for item in graph.inputs}
    for name, node in graph.nodes.items():
        if name in given or node.op in _NEVER_FAIL:
            continue
        for number, body in enumerate(body_names(node)):
            yield from _spots(graph.bodies[body], (*way, (name, number)))
        yield Spot(way, name)


@dataclasses.dataclass(frozen=True)
class _Cut:
    """What is kept of a frame; `partial` is the node in which the cut goes on, whose outputs are no longer its own."""

    nodes: dict[str, Node]
    outputs: list[str]
    controls: list[str]
    partial: str | None = None


@dataclasses.dataclass(frozen=True)
class _Making:
    """The library that grows; whether only what the last op depends on is kept, and whether without that op itself."""

    bodies: dict[str, Graph]
    alone: bool
    before: bool


def _frame(graph: Graph, making: _Making, way: Sequence[tuple[str, int]], last: str | None) -> _Cut:
    """A frame up to `last`, or up to a place in a body that one of its nodes runs; all of it if `last` is None."""
    end = way[0][0] if way else last
    nodes: dict[str, Node] = {}
    needed = ancestors(graph, (), [end]) if making.alone and end is not None else None
    if needed is not None and making.before and not way:
        needed.discard(str(end))
    for name, node in graph.nodes.items():
        if needed is not None and name not in needed:
            continue
        if name == end and way:
            _partial(graph, making, nodes, way, last)
        else:
            nodes[name] = node
        if name == end:
            break
    for item in graph.inputs:  # a signature names all of them, wherever they stand in the order
        nodes.setdefault(item.name, graph.nodes[item.name])
    kept = graph.replace(nodes=nodes)
    outputs, controls = leaves(kept)
    if making.alone and end is not None and end not in nodes:
        outputs = [t for t in graph.nodes[end].inputs if has_number(kept.dtype(t))]
        controls = []
    elif making.alone and end is not None:
        outputs = values(kept, nodes[end])
        if way and nodes[end].op in WHILES:
            outputs = outputs[-1:]  # the variable that was added
        controls = [] if outputs else [end]
    return _Cut(nodes, outputs, controls, way[0][0] if way else None)


def _partial(
    graph: Graph, making: _Making, nodes: dict[str, Node], way: Sequence[tuple[str, int]], last: str | None
) -> None:
    """Put a call, branch or loop in place whose body is cut."""
    (name, number), rest = way[0], way[1:]
    node = graph.nodes[name]
    if node.op in CALLS:
        _call(graph, making, nodes, node, rest, last)
    elif node.op in IFS:
        _branches(graph, making, nodes, node, number, rest, last)
    elif node.op in WHILES:
        _loop(graph, making, nodes, node, number, rest, last)
    else:
        raise Unsupported(f"{name} ({node.op}) has no body; known are {', '.join(CONTROL_FLOW)}")


def _call(
    graph: Graph,
    making: _Making,
    nodes: dict[str, Node],
    node: Node,
    rest: Sequence[tuple[str, int]],
    last: str | None,
) -> None:
    (name,) = body_names(node)
    body = graph.bodies[name]
    cut = _frame(body, making, rest, last)
    part = body.replace(nodes=cut.nodes, outputs=tuple(cut.outputs), controls=tuple(cut.controls), bodies=making.bodies)
    nodes[node.name] = _retyped(node, [_keep(making.bodies, name, part)], [part.dtype(t) for t in cut.outputs])


def _branches(
    graph: Graph,
    making: _Making,
    nodes: dict[str, Node],
    node: Node,
    number: int,
    rest: Sequence[tuple[str, int]],
    last: str | None,
) -> None:
    """Each branch gives one number, made of all its values: earlier ones are whole, later ones give 0."""
    fresh = []
    for i, name in enumerate(body_names(node)):
        body = graph.bodies[name]
        adder = AddUp()
        if i < number and not making.alone:
            cut = _frame(body, making, (), None)
        elif i == number:
            cut = _frame(body, making, rest, last)
        else:
            cut = _Cut({item.name: body.nodes[item.name] for item in body.inputs}, [], [])
        kept = body.replace(nodes=cut.nodes)
        total = adder.total([(t, kept.dtype(t)) for t in cut.outputs])
        part = kept.replace(nodes={**cut.nodes, **adder.nodes}, outputs=(total,), controls=(), bodies=making.bodies)
        fresh.append(_keep(making.bodies, name, part))
    nodes[node.name] = _retyped(node, fresh, [_DT_FLOAT])


def _retyped(node: Node, bodies: Sequence[str], types: Sequence[int]) -> Node:
    """A call or branch that runs other bodies, with results of these types."""
    definition = copied(node.definition)
    rename(definition, list(bodies))
    del definition.attr["Tout"].list.type[:]
    definition.attr["Tout"].list.SetInParent()  # it is a list also where it is empty
    definition.attr["Tout"].list.type.extend(types)
    definition.attr.pop("output_shapes", None)
    return Node(definition, node.inputs, node.controls)


def _loop(
    graph: Graph,
    making: _Making,
    nodes: dict[str, Node],
    node: Node,
    number: int,
    rest: Sequence[tuple[str, int]],
    last: str | None,
) -> None:
    """One more variable takes up what the kept ops compute."""
    condition, body = (graph.bodies[name] for name in body_names(node))
    asked = _frame(condition, making, rest, last) if number == 0 else None
    done = _frame(body, making, rest, last) if number == 1 else _Cut(_inputs(body), [], [])
    names = list(body_names(node))
    fresh = [
        _keep(making.bodies, names[0], _question(condition, asked).replace(bodies=making.bodies)),
        _keep(making.bodies, names[1], _round(body, done).replace(bodies=making.bodies)),
    ]
    definition = copied(node.definition)
    rename(definition, fresh)
    definition.attr["T"].list.type.append(_DT_FLOAT)
    if "output_shapes" in definition.attr and definition.attr["output_shapes"].list.shape:
        definition.attr["output_shapes"].list.shape.add()
    adder = AddUp(f"{node.name}/__start")
    start = adder.number(0.0)
    nodes.update(adder.nodes)
    nodes[node.name] = Node(definition, (*node.inputs, start), node.controls)


_TAKEN_UP = "__taken_up"


def _question(condition: Graph, cut: _Cut | None) -> Graph:
    """The condition with one more argument; if it is cut, one that XLA cannot answer."""
    item = Input(_TAKEN_UP, _DT_FLOAT, ())
    inputs = (*condition.inputs, item)
    if cut is None:
        return condition.replace(nodes={**condition.nodes, item.name: placeholder(item)}, inputs=inputs)
    adder = AddUp()
    kept = condition.replace(nodes=cut.nodes)
    total = adder.total([(t, kept.dtype(t)) for t in cut.outputs], [f"{item.name}:0"])
    answer = adder.positive(total)
    nodes = {**cut.nodes, item.name: placeholder(item), **adder.nodes}
    return condition.replace(nodes=nodes, inputs=inputs, outputs=(answer,), controls=())


def _round(body: Graph, cut: _Cut) -> Graph:
    item = Input(_TAKEN_UP, _DT_FLOAT, ())
    taken_up = f"{item.name}:0"
    adder = AddUp()
    kept = body.replace(nodes=cut.nodes)
    outputs = []
    for argument, tensor in zip(body.inputs, body.outputs, strict=True):
        own = f"{argument.name}:0"
        if _passes(body, tensor, argument.name):
            outputs.append(own)
        elif split(tensor)[0] in cut.nodes and split(tensor)[0] != cut.partial:
            outputs.append(tensor)
        else:
            outputs.append(adder.changed(own, body.dtype(own), taken_up))
    computed = {split(t)[0] for t in outputs}
    rest = [t for t in cut.outputs if split(t)[0] not in computed]
    outputs.append(adder.total([(t, kept.dtype(t)) for t in rest], [taken_up, adder.number(1.0)]))
    nodes = {**cut.nodes, item.name: placeholder(item), **adder.nodes}
    return body.replace(nodes=nodes, inputs=(*body.inputs, item), outputs=tuple(outputs), controls=())


def _passes(body: Graph, tensor: str, argument: str) -> bool:
    """Whether a result of a body is one of its arguments, unchanged."""
    name, _ = split(tensor)
    while name != argument and body.nodes[name].op == "Identity":
        name, _ = split(body.nodes[name].inputs[0])
    return name == argument


def _inputs(graph: Graph) -> dict[str, Node]:
    return {item.name: graph.nodes[item.name] for item in graph.inputs}


def _keep(bodies: dict[str, Graph], name: str, graph: Graph) -> str:
    number = 0
    while f"{name}__cut_{number}" in bodies:
        number += 1
    bodies[f"{name}__cut_{number}"] = graph
    return f"{name}__cut_{number}"


def copied(definition: Any) -> Any:
    """A protocol buffer that can be changed."""
    copy = type(definition)()
    copy.CopyFrom(definition)
    return copy
