"""Calls are expanded until the graph is flat; each flat node remembers the way by which it was reached.

TensorFlow names in its messages the stack of whoever traced a cached function *first*. The call path is the
truth: a node that is reached by two calls becomes two flat nodes, "layer_1/PartitionedCall/Reshape" and
"layer_2/PartitionedCall/Reshape".
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from . import opdefs
from .errors import Unsupported
from .ir import CALLS, CONTROL_FLOW, Graph, Input, Node, Origin, Region, body_names, canonical, in_order, split
from .load import Program

_DT_RESOURCE = 20
_MAX_DEPTH = 200


@dataclasses.dataclass(frozen=True)
class _Function:
    """A function (or the top graph) before inlining, with inputs in GraphDef notation."""

    name: str
    arguments: tuple[str, ...]
    nodes: Mapping[str, Node]
    index: Mapping[str, int]
    outputs: tuple[str, ...]
    controls: tuple[str, ...]


def flatten(program: Program, *, calls: bool = True) -> Graph:
    """The program as one flat graph, its control flow bodies flattened too (each once, whoever calls it).

    With `calls=False` calls stay calls, and their functions are bodies like those of control flow. XLA sees shapes
    through an inlined call that it does not see through a call, so a graph that is to be compiled as it was compiled
    in the target must keep them.
    """
    functions = {str(f.signature.name): f for f in program.graph.library.function}
    bodies: dict[str, Graph] = {}
    flattener = _Flattener(functions, bodies, program.arguments, calls)
    names = [item.name for item in program.inputs]
    nodes = {str(n.name): n for n in program.graph.node if str(n.name) not in set(names)}
    top = _Function(
        name="",
        arguments=tuple(names),
        nodes=_sorted({name: _node(n, list(n.input)) for name, n in nodes.items()}),
        index={str(n.name): i for i, n in enumerate(program.graph.node)},
        outputs=tuple(canonical(t) for t in program.outputs),
        controls=tuple(name for name, n in nodes.items() if _has_effect(n, functions)),
    )
    return flattener.graph(top, program.inputs)


class _Flattener:
    def __init__(
        self,
        functions: Mapping[str, Any],
        bodies: dict[str, Graph],
        arguments: Mapping[str, tuple[str, ...]],
        calls: bool,
    ) -> None:
        self.calls = calls
        self.functions = functions
        self.bodies = bodies
        self.arguments = arguments
        self._read: dict[str, _Function] = {}

    def graph(self, top: _Function, inputs: tuple[Input, ...]) -> Graph:
        """Flatten one function that is a frame of its own: the top, or a body of control flow."""
        return _Frame(self).build(top, inputs)

    def body(self, name: str) -> None:
        """Flatten a body and remember it."""
        if name in self.bodies:
            return
        if name not in self.functions:
            raise Unsupported(f"function {name} is not in the library")
        definition = self.functions[name]
        inputs = tuple(
            Input(name=str(a.name), dtype=int(a.type), shape=_argument_shape(definition, i))
            for i, a in enumerate(definition.signature.input_arg)
        )
        self.bodies[name] = self.graph(self.function(name), inputs)

    def function(self, name: str) -> _Function:
        """A library function in GraphDef notation."""
        if name not in self._read:
            self._read[name] = _from_definition(self.functions[name], self.functions)
        return self._read[name]

    def callee(self, node: Node) -> str | None:
        """The function that a node calls, if it is a call."""
        if node.op in CALLS and not self.calls:
            return None
        if node.op in CALLS:
            return str(node.definition.attr["f"].func.name)
        return node.op if node.op in self.functions else None

    def python_arguments(self, function: str) -> tuple[str, ...]:
        """The names that the placeholders of a function had in Python ("" as far as they are not known)."""
        return self.arguments.get(function, ())


class _Frame:
    """Builds one flat graph."""

    def __init__(self, flattener: _Flattener) -> None:
        self.flattener = flattener
        self.nodes: dict[str, Node] = {}
        self.origins: dict[str, Origin] = {}
        self.regions: list[Region] = []
        self.aliases: dict[tuple[tuple[str, ...], str], str | tuple[str, ...]] = {}

    def build(self, top: _Function, inputs: tuple[Input, ...]) -> Graph:
        for item in inputs:
            self.nodes[item.name] = placeholder(item, resource=item.role in ("variable", "iterator", "resource"))
            self.origins[item.name] = Origin((), top.name, item.name, (top.index.get(item.name, -1),))
        bind = {name: f"{name}:0" for name in top.arguments}
        results, ends = self.expand(top, (), "", (), bind, None)
        order = in_order(self.nodes, lambda n: (s for s in _sources(self.nodes[n])))
        return Graph(
            name=top.name,
            nodes={name: self.nodes[name] for name in order},
            inputs=inputs,
            outputs=results,
            controls=ends,
            origins=self.origins,
            regions=tuple(self.regions),
            aliases=self.aliases,
            bodies=self.flattener.bodies,
            functions=self.flattener.functions,
        )

    def expand(
        self,
        function: _Function,
        path: tuple[str, ...],
        prefix: str,
        order: tuple[int, ...],
        bind: Mapping[str, str],
        entry: str | None,
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Put the nodes of a function into the frame; returns its flat results and the nodes that end it."""
        if len(path) > _MAX_DEPTH:
            raise Unsupported(f"calls are nested more than {_MAX_DEPTH} deep (recursion?) at {'/'.join(path[:3])}/...")
        calls: dict[str, tuple[str, ...]] = {}
        waited_for = {c for node in function.nodes.values() for c in node.controls} | set(function.controls)
        for name, tensor in bind.items():
            self.aliases[path, name] = (tensor,)
        for given, name in zip(self.flattener.python_arguments(function.name), function.arguments, strict=False):
            self.aliases.setdefault((path, given), (bind[name],))

        def flat(tensor: str) -> str:
            node, index = split(tensor)
            if node in bind:
                return bind[node]
            return calls[node][index] if node in calls else f"{names[node]}:{index}"

        def control(node: str) -> str | None:
            if node in bind:
                return split(bind[node])[0]
            return names[node]

        names: dict[str, str] = {}
        for name, node in function.nodes.items():
            here = (*order, function.index[name])
            data = tuple(flat(t) for t in node.inputs)
            controls = tuple(c for c in (control(n) for n in node.controls) if c is not None)
            if entry is not None and not controls and all(split(t)[0] in bind for t in node.inputs):
                controls = (entry,)
            callee = self.flattener.callee(node)
            if callee is None:
                names[name] = self.add(prefix + name, node, data, controls, Origin(path, function.name, name, here))
                self.aliases[path, name] = names[name]
                continue
            inner = self.flattener.function(callee)
            if len(inner.arguments) != len(data):
                raise Unsupported(
                    f"node {prefix + name} gives {len(data)} tensors to {callee}, which takes {len(inner.arguments)}"
                )
            calls[name], end = self._call(
                inner, (*path, name), f"{prefix}{name}", here, data, controls, waited_for=name in waited_for
            )
            if end is not None:
                names[name] = end
            self.aliases[path, name] = calls[name]
            self.regions.append(Region((*path, name), callee, self.is_jit(node, callee), here, data, calls[name]))
        return tuple(flat(t) for t in function.outputs), tuple(c for c in map(control, function.controls) if c)

    def _call(
        self,
        inner: _Function,
        path: tuple[str, ...],
        name: str,
        order: tuple[int, ...],
        data: tuple[str, ...],
        controls: tuple[str, ...],
        *,
        waited_for: bool,
    ) -> tuple[tuple[str, ...], str | None]:
        """Expand a call in the place of its node; returns its flat results and the node for which others wait."""
        start = self.marker(f"{name}/__start", controls, path, inner.name, order) if controls else None
        bind = dict(zip(inner.arguments, data, strict=True))
        results, ends = self.expand(inner, path, f"{name}/", order, bind, start)
        if not waited_for:
            return results, None
        # Whoever waits for a call waits for its effects and for its results.
        after = dict.fromkeys((*ends, *(split(t)[0] for t in results), *([start] if start else [])))
        return results, self.marker(f"{name}/__end", tuple(after), path, inner.name, order)

    def add(self, flat: str, node: Node, data: tuple[str, ...], controls: tuple[str, ...], origin: Origin) -> str:
        while flat in self.nodes:
            flat += "_"
        self.nodes[flat] = Node(stripped(node.definition, flat), data, controls)
        self.origins[flat] = origin
        if node.op in CONTROL_FLOW:
            for body in body_names(node):
                self.flattener.body(body)
        return flat

    def marker(
        self,
        flat: str,
        controls: tuple[str, ...],
        path: tuple[str, ...],
        function: str,
        order: tuple[int, ...],
    ) -> str:
        origin = Origin(path, function, flat.rpartition("/")[2], order)
        return self.add(flat, make("NoOp", flat), (), controls, origin)

    def is_jit(self, node: Node, callee: str) -> bool:
        """XLA was asked for at the call or by the function."""
        at_call = node.definition.attr
        at_function = self.flattener.functions[callee].attr
        return any("_XlaMustCompile" in a and a["_XlaMustCompile"].b for a in (at_call, at_function))


def make(op: str, name: str) -> Node:
    """A fresh node without inputs or attributes."""
    from tensorflow.core.framework import node_def_pb2

    return Node(node_def_pb2.NodeDef(op=op, name=name), ())


def placeholder(item: Input, *, resource: bool = False) -> Node:
    """The Placeholder node of an input."""
    node = make("Placeholder", item.name)
    node.definition.attr["dtype"].type = _DT_RESOURCE if resource else item.dtype
    shape = node.definition.attr["shape"].shape
    if resource or item.shape is None:
        shape.unknown_rank = not resource
    else:
        for n in item.shape:
            shape.dim.add(size=-1 if n is None else n)
    return node


def stripped(definition: Any, name: str) -> Any:
    """A copy of a NodeDef under a new name, without inputs, device, and attributes that steer placement,
    XLA or gradients.

    A device belongs to the machine of the run, `_class` ties nodes together that may be cut apart, and the
    rest would make TensorFlow compile or rewrite what is to be run plainly.
    """
    copy = type(definition)()
    copy.CopyFrom(definition)
    copy.name = name
    copy.device = ""
    del copy.input[:]
    for attribute in [a for a in copy.attr if a.startswith("_") and not a.startswith("_xla_")]:
        del copy.attr[attribute]
    copy.ClearField("experimental_debug_info")
    return copy


def _sources(node: Node) -> Iterable[str]:
    yield from (split(t)[0] for t in node.inputs)
    yield from node.controls


def _node(definition: Any, references: Iterable[str]) -> Node:
    data, controls = [], []
    for reference in references:
        if reference.startswith("^"):
            controls.append(reference[1:])
        else:
            data.append(canonical(reference))
    return Node(definition, tuple(data), tuple(controls))


def _sorted(nodes: dict[str, Node]) -> dict[str, Node]:
    def waits_for(name: str) -> Iterable[str]:
        return () if nodes[name].op == "NextIteration" else _sources(nodes[name])

    return {name: nodes[name] for name in in_order(nodes, waits_for)}


def _from_definition(definition: Any, functions: Mapping[str, Any]) -> _Function:
    """A FunctionDef in GraphDef notation: "node:argument:i" becomes "node:k"."""
    arguments = [str(a.name) for a in definition.signature.input_arg]
    flat = {name: f"{name}:0" for name in arguments}
    for node in definition.node_def:
        position = 0
        for name, dtypes in opdefs.outputs_of(node, functions):
            for i in range(len(dtypes)):
                flat[f"{node.name}:{name}:{i}"] = f"{node.name}:{position + i}"
            position += len(dtypes)

    def reference(text: str) -> str:
        return text if text.startswith("^") else flat[text]

    nodes = {str(n.name): _node(n, [reference(r) for r in n.input]) for n in definition.node_def}
    return _Function(
        name=str(definition.signature.name),
        arguments=tuple(arguments),
        nodes=_sorted(nodes),
        index={str(n.name): i for i, n in enumerate(definition.node_def)},
        outputs=tuple(flat[definition.ret[a.name]] for a in definition.signature.output_arg),
        controls=tuple(str(n) for n in definition.control_ret.values()),
    )


def _argument_shape(definition: Any, index: int) -> tuple[int | None, ...] | None:
    attributes = definition.arg_attr[index].attr if index in definition.arg_attr else {}
    if "_output_shapes" not in attributes:
        return None
    value = attributes["_output_shapes"]
    shape = value.list.shape[0] if value.HasField("list") and value.list.shape else value.shape
    return None if shape.unknown_rank else tuple(None if d.size < 0 else int(d.size) for d in shape.dim)


def _has_effect(node: Any, functions: Mapping[str, Any]) -> bool:
    """Whether a node must run although nobody uses its result, as inside a function its control outputs
    would say.
    """
    definition = opdefs.definition_of(node, functions)
    return bool(definition.is_stateful) and node.op not in ("Placeholder", "ReadVariableOp", "VarHandleOp")
