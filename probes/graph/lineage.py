"""Where a tensor got its axes and rows from: back through the graph, along what only hands elements on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..protocol.comparisons import PlacedOp
from .ir import Graph, reach, split
from .row_sets import RowSets, along, axes_of_rows
from .step import Step

ELEMENTWISE = frozenset(
    {
        "Add", "AddV2", "Sub", "Mul", "Div", "RealDiv", "DivNoNan", "FloorDiv", "FloorMod", "Maximum", "Minimum", "Pow",
        "SquaredDifference", "Xdivy", "Xlogy", "Xlog1py", "Atan2", "Equal", "NotEqual", "Less", "LessEqual", "Greater",
        "GreaterEqual", "LogicalAnd", "LogicalOr", "SelectV2", "Select", "MulNoNan", "Complex",
    }
)  # fmt: skip
_SHAPES = frozenset({"Reshape", "ExpandDims", "Squeeze", "Transpose", "StridedSlice"})
HANDS_ON = frozenset(
    {"Identity", "Cast", "StopGradient", "PreventGradient", "CheckNumerics", "EnsureShape", "Snapshot"}
)
ONE_BY_ONE = frozenset(
    {
        "Abs",
        "Exp",
        "Log",
        "Log1p",
        "Neg",
        "Reciprocal",
        "Relu",
        "Rsqrt",
        "Sigmoid",
        "Softplus",
        "Sqrt",
        "Square",
        "Tanh",
    }
)
"""Functions of one element."""
GATHERS = frozenset({"GatherV2", "Gather", "GatherNd", "ResourceGather"})
_DEPTH = 12
_BACK = 60


class Lineage:
    """Questions about the tensors of a step whose row sets are known."""

    def __init__(self, step: Step, found: RowSets) -> None:
        self._step = step
        self._found = found
        self._graph: Graph = found.graph

    def place(self, name: str) -> PlacedOp:
        """A node, and the user's lines that made it."""
        origin = self._graph.origins[name]
        lines = self._step.program.lines
        return PlacedOp(
            node="/".join((*origin.path, origin.node)),
            op=self._graph.nodes[name].op,
            sources=lines(origin.function, origin.node),
            call_sources=tuple(lines(function, node) for function, node in self._graph.calls(origin.path)),
        )

    def line(self, name: str) -> tuple[Any, ...] | None:
        """(file, line) of the user's that made a node; None where none is known."""
        frames = self.place(name).sources
        return tuple(frames[-1][:2]) if frames else None

    def same(self, a: str, b: str, depth: int = _DEPTH) -> bool:
        """Whether two tensors are one quantity, laid out in two ways."""
        a, b = self.core(a), self.core(b)
        if a == b:
            return True
        one, other = (self._graph.nodes[split(t)[0]] for t in (a, b))
        if depth == 0 or one.op != other.op or not one.inputs or len(one.inputs) != len(other.inputs):
            return self._is_constant(a) and self._is_constant(b) and self._equal(a, b)
        return all(self.same(x, y, depth - 1) for x, y in zip(one.inputs, other.inputs, strict=True))

    def new_axis(self, tensor: str) -> str | None:
        """The node that gave a tensor an axis of one; None where it has it from a product or from the data."""
        for _ in range(_BACK):
            name = split(tensor)[0]
            node = self._graph.nodes[name]
            if node.op in _SHAPES:
                before, after = self._shape(node.inputs[0]), self._shape(tensor)
                same = [n for n in before if n != 1] == [n for n in after if n != 1]
                if same and len(before) < len(after):
                    return name
                if not same:
                    return None
                tensor = node.inputs[0]
                continue
            wider = [t for t in node.inputs if self._shape(t) == self._shape(tensor) and t in self._found.sets]
            if not wider or not (node.op in ELEMENTWISE or node.op in HANDS_ON or len(node.inputs) == 1):
                return None
            tensor = wider[0]
        return None

    def lost_rows(self, tensor: str) -> str | None:
        """The node at which rows became one: what it is given has an axis of rows still."""
        for _ in range(_BACK):
            name = split(tensor)[0]
            given = [t for t in self._graph.nodes[name].inputs if t in self._found.sets]
            if not given:
                return None
            if any(axes_of_rows(self._found.sets[t]) for t in given):
                return name
            tensor = given[0]
        return None

    def reordered(self, tensor: str) -> str | None:
        """The node that put rows in the order that a tensor has them in: it has more of them than it was given, or
        chose them.
        """
        for _ in range(_BACK):
            name = split(tensor)[0]
            node = self._graph.nodes[name]
            given = [t for t in node.inputs if t in self._found.sets]
            orders = node.op in ("Tile", "ConcatV2", "Pack", "BroadcastTo", "Transpose") or node.op in GATHERS
            if orders and not self._in_order_of(tensor, given):
                return name
            if not given:
                return None
            tensor = given[0]
        return None

    def _in_order_of(self, tensor: str, given: Sequence[str]) -> bool:
        """Whether the first of what was given has the same rows in the same order already."""
        one, other = (self._found.sets.get(t) for t in (tensor, given[0])) if given else (None, None)
        if one is None or other is None or axes_of_rows(one) != [0] or axes_of_rows(other) != [0]:
            return False
        return bool(len(one) == len(other) and (along(one, 0) == along(other, 0)).all())

    def chosen_by_data(self, tensor: str) -> bool:
        """Whether the rows of a tensor were chosen by numbers of the data, such as the ends of edges."""
        nodes, sets = self._graph.nodes, self._found.sets
        back = reach([split(tensor)[0]], lambda n: [split(t)[0] for t in nodes[n].inputs if t in sets], _BACK)
        return any(nodes[n].op in GATHERS and all(t in sets for t in nodes[n].inputs[:2]) for n in back)

    # -- inside

    def core(self, tensor: str) -> str:
        """What a tensor is, laid out in another way, or of another type."""
        for _ in range(_BACK):
            node = self._graph.nodes[split(tensor)[0]]
            if not node.inputs or not (node.op in HANDS_ON or node.op in _SHAPES):
                break
            if node.op == "StridedSlice" and np.prod(self._shape(node.inputs[0])) != np.prod(self._shape(tensor)):
                break
            tensor = node.inputs[0]
        return tensor

    def _shape(self, tensor: str) -> list[int]:
        value = self._found.values.get(tensor)
        return [] if value is None else list(value.shape)

    def _is_constant(self, tensor: str) -> bool:
        return self._graph.nodes[split(tensor)[0]].op == "Const"

    def _equal(self, a: str, b: str) -> bool:
        values = [self._graph.nodes[split(t)[0]].definition.attr["value"] for t in (a, b)]
        return bool(values[0] == values[1])
