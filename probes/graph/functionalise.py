"""Variables become arguments: reads become identities, assignments become outputs.

What then remains is a pure function of tensors, which can be cut anywhere, fed with values, run as often as
one likes without changing any state, and lowered for a device that the machine does not have.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from . import opdefs
from .errors import Unsupported
from .holes import hole
from .inline import make, placeholder
from .ir import CALLS, IFS, WHILES, Graph, Input, Node, body_names, rename, split

_DT_BOOL = 10
_DT_INT32 = 3
_IGNORED = frozenset({"DestroyResourceOp"})
_ALLOWED_PASS = frozenset({"Identity"})
_SCATTERS = ("Add", "Sub", "Update", "Min", "Max")
"""What writes into places of a variable and has an op that does the same to a tensor."""
_TO_PLACES = {
    f"ResourceScatter{many}{what}": (f"TensorScatter{what}", not many) for many in ("", "Nd") for what in _SCATTERS
}


@dataclasses.dataclass(frozen=True)
class Pure:
    """A graph without variables: `graph.inputs` of role variable hold their content, `finals` says where it
    is afterwards.
    """

    graph: Graph
    finals: Mapping[str, str]
    """Input name of an assigned variable -> the tensor with its content after the step."""
    unsupported: Mapping[str, str]
    """Nodes that could not be made pure (only when not strict), with the reason. Nothing behind them can be
    evaluated."""


def functionalise(graph: Graph, *, strict: bool = True) -> Pure:
    """Make the graph pure; raises Unsupported with the first op that it cannot, or (not strict) leaves that
    node as it is.
    """
    bodies = dict(graph.bodies)
    worker = _Pass(graph, bodies, strict, {i.name: i.name for i in graph.inputs if i.role == "variable"}, {})
    inputs = {i.name: i for i in graph.inputs}
    worker.specs.update({name: (i.dtype, i.shape) for name, i in inputs.items() if i.role == "variable"})
    worker.run()
    finals = {v: worker.current[v] for v in worker.assigned}
    for name, body in bodies.items():
        bodies[name] = body.replace(bodies=bodies)
    pure = graph.replace(nodes=worker.nodes, bodies=bodies)
    return Pure(pure, finals, worker.unsupported)


class _Pass:
    """One frame: the top graph, or a body under a given binding of its resource arguments to variables."""

    def __init__(
        self,
        graph: Graph,
        bodies: dict[str, Graph],
        strict: bool,
        bound: Mapping[str, str],
        specs: Mapping[str, tuple[int, Any]],
    ) -> None:
        self.graph = graph
        self.bodies = bodies
        self.strict = strict
        self.bound = dict(bound)
        self.specs = dict(specs)
        self.nodes: dict[str, Node] = {}
        self.current: dict[str, str] = {}
        self.assigned: dict[str, None] = {}
        self.unsupported: dict[str, str] = {}

    def run(self) -> None:
        for name, variable in self.bound.items():
            self.current.setdefault(variable, f"{name}:0")
        for name, node in self.graph.nodes.items():
            if name in self.bound:
                dtype, shape = self.specs[self.bound[name]]
                self.nodes[name] = placeholder(Input(name, dtype, shape))
                continue
            variables = [self.variable(t) for t in node.inputs]
            if all(v is None for v in variables):
                self.nodes[name] = node
            else:
                self.rewrite(name, node, variables)

    def variable(self, tensor: str) -> str | None:
        """The variable whose handle this tensor is, if it is one."""
        node, index = split(tensor)
        while node not in self.bound:
            found = self.graph.nodes[node]
            if found.op in WHILES and index < len(found.inputs):
                # What a loop gives back in the place of a handle is that handle.
                node, index = split(found.inputs[index])
            elif found.op in _ALLOWED_PASS:
                node, index = split(found.inputs[0])
            else:
                return None
        return self.bound[node]

    def rewrite(self, name: str, node: Node, variables: list[str | None]) -> None:
        method = getattr(self, f"_on_{node.op}", None)
        if method is not None:
            method(name, node, variables)
        elif node.op in _TO_PLACES:
            self.scatter(name, node, variables[0] or "")
        elif node.op in IFS or node.op in CALLS:
            self.branches(name, node, variables)
        elif node.op in WHILES:
            self.loop(name, node, variables)
        elif node.op in _ALLOWED_PASS:
            self.put(name, "Identity", [self.current[variables[0] or ""]], T=self.dtype(variables[0]))
        elif node.op in _IGNORED:
            self.put(name, "NoOp", [])
        else:
            self.refuse(name, node, variables)

    def refuse(self, name: str, node: Node, variables: list[str | None]) -> None:
        reason = f"op {node.op} (node {name}) uses a variable in a way that cannot be made functional"
        if self.strict:
            raise Unsupported(reason)
        self.unsupported[name] = reason
        dtypes = [d for _, types in opdefs.outputs_of(node.definition, self.graph.functions) for d in types]
        self.nodes.update(hole(name, dtypes, reason))
        for variable in dict.fromkeys(v for v in variables if v is not None):
            # It may have written: from here on the content is not known.
            after = f"{name}/__after_{variable}"
            self.nodes.update(hole(after, [self.dtype(variable)], reason))
            self.current[variable] = f"{after}:0"

    def put(self, name: str, op: str, inputs: list[str], **attributes: int) -> str:
        """Put a node in place; returns its first output. Order between reads and writes is by data from
        here on.
        """
        node = make(op, name)
        for key, dtype in attributes.items():
            node.definition.attr[key].type = dtype
        self.nodes[name] = Node(node.definition, tuple(inputs))
        return f"{name}:0"

    def dtype(self, variable: str | None) -> int:
        return int(self.specs[variable or ""][0])

    def assign(self, variable: str, tensor: str) -> None:
        self.current[variable] = tensor
        self.assigned[variable] = None

    # -- ops on variables
    # -------------------------------------------------------------------------------------

    def _on_ReadVariableOp(self, name: str, node: Node, variables: list[str | None]) -> None:
        self.put(name, "Identity", [self.current[variables[0] or ""]], T=self.dtype(variables[0]))

    def _on_AssignVariableOp(self, name: str, node: Node, variables: list[str | None]) -> None:
        self.assign(variables[0] or "", self.put(name, "Identity", [node.inputs[1]], T=self.dtype(variables[0])))

    def _on_AssignAddVariableOp(self, name: str, node: Node, variables: list[str | None]) -> None:
        variable = variables[0] or ""
        inputs = [self.current[variable], node.inputs[1]]
        self.assign(variable, self.put(name, "AddV2", inputs, T=self.dtype(variable)))

    def _on_AssignSubVariableOp(self, name: str, node: Node, variables: list[str | None]) -> None:
        variable = variables[0] or ""
        inputs = [self.current[variable], node.inputs[1]]
        self.assign(variable, self.put(name, "Sub", inputs, T=self.dtype(variable)))

    def _on_RngReadAndSkip(self, name: str, node: Node, variables: list[str | None]) -> None:
        # The state as it is. By how much it then moves on is whole numbers and the same in every way.
        self.put(name, "Identity", [self.current[variables[0] or ""]], T=self.dtype(variables[0]))

    def _on_VarIsInitializedOp(self, name: str, node: Node, variables: list[str | None]) -> None:
        self.constant(name, _DT_BOOL).bool_val.append(True)

    def _on_VariableShape(self, name: str, node: Node, variables: list[str | None]) -> None:
        out = int(node.definition.attr["out_type"].type) if "out_type" in node.definition.attr else _DT_INT32
        self.put(name, "Shape", [self.current[variables[0] or ""]], T=self.dtype(variables[0]), out_type=out)

    def _on_ResourceGather(self, name: str, node: Node, variables: list[str | None]) -> None:
        batch = int(node.definition.attr["batch_dims"].i) if "batch_dims" in node.definition.attr else 0
        axis = self.number(f"{name}/__axis", batch)
        indices = int(node.definition.attr["Tindices"].type)
        inputs = [self.current[variables[0] or ""], node.inputs[1], axis]
        self.put(name, "GatherV2", inputs, Tparams=self.dtype(variables[0]), Tindices=indices, Taxis=_DT_INT32)
        self.nodes[name].definition.attr["batch_dims"].i = batch

    def _on_ResourceStridedSliceAssign(self, name: str, node: Node, variables: list[str | None]) -> None:
        variable = variables[0] or ""
        inputs = [self.current[variable], *node.inputs[1:]]
        written = self.put(name, "TensorStridedSliceUpdate", inputs)
        for key, value in node.definition.attr.items():
            self.nodes[name].definition.attr[key].CopyFrom(value)
        self.assign(variable, written)

    def scatter(self, name: str, node: Node, variable: str) -> None:
        """`ResourceScatterNdAdd` and its like are `TensorScatterAdd` of the content; those of whole rows get an axis
        for the one number of each index.
        """
        op, by_row = _TO_PLACES[node.op]
        dtype = int(node.definition.attr["Tindices"].type)
        indices = node.inputs[1]
        if by_row:
            last = self.number(f"{name}/__axis", -1)
            indices = self.put(f"{name}/__indices", "ExpandDims", [indices, last], T=dtype, Tdim=_DT_INT32)
        inputs = [self.current[variable], indices, node.inputs[2]]
        self.assign(variable, self.put(name, op, inputs, T=self.dtype(variable), Tindices=dtype))

    def number(self, name: str, value: int) -> str:
        """A new constant of one whole number."""
        self.constant(name, _DT_INT32).int_val.append(value)
        return f"{name}:0"

    def constant(self, name: str, dtype: int) -> Any:
        """The tensor of a new scalar constant, to be given its value."""
        made = make("Const", name)
        made.definition.attr["dtype"].type = dtype
        tensor = made.definition.attr["value"].tensor
        tensor.dtype = dtype
        tensor.tensor_shape.SetInParent()
        self.nodes[name] = made
        return tensor

    # -- control flow
    # -----------------------------------------------------------------------------------------

    def body(self, name: str, caller: str, given: list[str | None]) -> tuple[Graph, _Pass]:
        """The pure variant of a body whose arguments are bound to the variables `given` (None for other
        arguments).
        """
        graph = self.graph.bodies[name]
        bound = {i.name: v for i, v in zip(graph.inputs, given, strict=True) if v is not None}
        inner = _Pass(graph, self.bodies, self.strict, bound, self.specs)
        inner.run()
        self.unsupported.update({f"{caller}>{n}": reason for n, reason in inner.unsupported.items()})
        inputs = tuple(
            dataclasses.replace(i, dtype=self.specs[bound[i.name]][0], shape=self.specs[bound[i.name]][1])
            if i.name in bound
            else i
            for i in graph.inputs
        )
        return graph.replace(nodes=inner.nodes, inputs=inputs), inner

    def keep(self, name: str, graph: Graph) -> str:
        """Put a variant of a body into the library under a new name."""
        number = 0
        while f"{name}__pure_{number}" in self.bodies:
            number += 1
        fresh = f"{name}__pure_{number}"
        self.bodies[fresh] = graph
        return fresh

    def branches(self, name: str, node: Node, variables: list[str | None]) -> None:
        offset = 1 if node.op in IFS else 0
        found = [self.body(body, name, variables[offset:]) for body in body_names(node)]
        assigned = list(dict.fromkeys(v for _, inner in found for v in inner.assigned))
        names = []
        for body, (graph, inner) in zip(body_names(node), found, strict=True):
            outputs = (*graph.outputs, *(inner.current[v] for v in assigned))
            names.append(self.keep(body, graph.replace(outputs=outputs)))
        new = self.call(name, node, variables, names)
        count = len(new.definition.attr["Tout"].list.type)
        new.definition.attr["Tout"].list.type.extend(self.dtype(v) for v in assigned)
        if "output_shapes" in new.definition.attr and new.definition.attr["output_shapes"].list.shape:
            for _ in assigned:
                new.definition.attr["output_shapes"].list.shape.add(unknown_rank=True)
        for i, variable in enumerate(assigned):
            self.assign(variable, f"{name}:{count + i}")

    def loop(self, name: str, node: Node, variables: list[str | None]) -> None:
        condition, body = body_names(node)
        names = []
        assigned: dict[str, None] = {}
        for function in (condition, body):
            pure, inner = self.body(function, name, variables)
            if function == body:
                assigned = inner.assigned
                outputs = tuple(
                    t if v is None else inner.current[v] for t, v in zip(pure.outputs, variables, strict=True)
                )
                pure = pure.replace(outputs=outputs)
            names.append(self.keep(function, pure))
        new = self.call(name, node, variables, names)
        shapes = new.definition.attr["output_shapes"].list.shape
        for i, variable in enumerate(variables):
            if variable is None:
                continue
            if i < len(shapes):
                shapes[i].CopyFrom(type(shapes[i])(unknown_rank=True))
            if variable in assigned:
                self.assign(variable, f"{name}:{i}")

    def call(self, name: str, node: Node, variables: list[str | None], names: list[str]) -> Node:
        """The control flow node with content in the place of handles and with the pure bodies."""
        definition = type(node.definition)()
        definition.CopyFrom(node.definition)
        offset = 1 if node.op in IFS else 0
        types = definition.attr["T" if node.op in WHILES else "Tin"].list.type
        for i, variable in enumerate(variables):
            if variable is not None:
                types[i - offset] = self.dtype(variable)
        rename(definition, names)
        inputs = tuple(t if v is None else self.current[v] for t, v in zip(node.inputs, variables, strict=True))
        self.nodes[name] = Node(definition, inputs, node.controls)
        return self.nodes[name]
