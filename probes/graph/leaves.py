"""What a cut-off graph must still give, so that nothing in it is dead code, and how to make one number of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from . import opdefs
from .inline import make
from .ir import CONTROL_FLOW, Graph, Node, split

_DT_FLOAT, _DT_DOUBLE, _DT_INT32, _DT_BOOL = 1, 2, 3, 10
_COMPLEX = {8: _DT_FLOAT, 18: _DT_DOUBLE}
_NO_NUMBER = frozenset({7, 20, 21})  # string, resource, variant
SHAPE_ONLY = frozenset({"Shape", "ShapeN", "Size", "Rank", "ZerosLike", "OnesLike"})
"""They use the shape of a tensor and not what is in it, so XLA drops what computed it."""


def leaves(graph: Graph) -> tuple[list[str], list[str]]:
    """(tensors, nodes): with these as results of a graph, every op in it takes part.

    Tensors have a number in them; the nodes are those at an end that have none (a list of tensors, no output at all).
    """
    given = {item.name for item in graph.inputs}
    used: set[str] = set()
    tensors: list[str] = []
    controls: list[str] = []
    for name, node in reversed(list(graph.nodes.items())):
        if name in given or (name not in used and node.op in ("Const", "NoOp")):
            continue
        if name not in used:
            found = values(graph, node)
            tensors.extend(found)
            if not found:
                controls.append(name)
                continue  # what goes into it is used by nothing that XLA must compute
        if node.op not in SHAPE_ONLY:
            used.update(split(t)[0] for t in node.inputs)
    return tensors[::-1], controls[::-1]


def behind(graph: Graph, start: Iterable[str]) -> set[str]:
    """The nodes that depend on the values of some, themselves included, and not on their shapes alone."""
    reached = set(start)
    for name, node in graph.nodes.items():
        if node.op not in SHAPE_ONLY and any(split(t)[0] in reached for t in node.inputs):
            reached.add(name)
    return reached


def values(graph: Graph, node: Node) -> list[str]:
    """The results of a node that have a number in them; of an op that runs no function, the first of them."""
    dtypes = [d for _, types in opdefs.outputs_of(node.definition, graph.functions) for d in types]
    found = [f"{node.name}:{i}" for i, dtype in enumerate(dtypes) if dtype not in _NO_NUMBER]
    return found if node.op in CONTROL_FLOW else found[:1]


def has_number(dtype: int) -> bool:
    """Whether tensors of this type hold numbers: no resource, no list of tensors, no text."""
    return dtype not in _NO_NUMBER


class AddUp:
    """New nodes of a frame that make a scalar float32 of tensors of any shape and type."""

    def __init__(self, prefix: str = "__sum") -> None:
        self.nodes: dict[str, Node] = {}
        self._prefix = prefix

    def total(self, tensors: Sequence[tuple[str, int]], scalars: Sequence[str] = ()) -> str:
        """The sum of all elements of (tensor, dtype)s, and of float32 scalars."""
        parts = [*(self._scalar(tensor, dtype) for tensor, dtype in tensors), *scalars] or [self.number(0.0)]
        node = self._add("AddN", parts, T=_DT_FLOAT)
        self.nodes[node[:-2]].definition.attr["N"].i = len(parts)
        return node

    def number(self, value: float) -> str:
        """A constant."""
        return self._constant(value, _DT_FLOAT)

    def positive(self, tensor: str) -> str:
        """Whether a scalar is above 0."""
        return self._add("Greater", [tensor, self.number(0.0)], T=_DT_FLOAT)

    def changed(self, tensor: str, dtype: int, by: str) -> str:
        """A tensor of the same shape and type whose value depends on the scalar `by`; itself if it has no number."""
        if dtype in _NO_NUMBER:
            return tensor
        if dtype == _DT_BOOL:
            return self._add("LogicalOr", [tensor, self.positive(by)])
        cast = self._add("Cast", [by], SrcT=_DT_FLOAT, DstT=dtype)
        return self._add("AddV2", [tensor, cast], T=dtype)

    def _scalar(self, tensor: str, dtype: int) -> str:
        if dtype in _COMPLEX:
            real = _COMPLEX[dtype]
            tensor, dtype = self._add("Real", [tensor], T=dtype, Tout=real), real
        if dtype != _DT_FLOAT:
            tensor = self._add("Cast", [tensor], SrcT=dtype, DstT=_DT_FLOAT)
        rank = self._add("Rank", [tensor], T=_DT_FLOAT)
        axes = self._add("Range", [self._constant(0, _DT_INT32), rank, self._constant(1, _DT_INT32)], Tidx=_DT_INT32)
        return self._add("Sum", [tensor, axes], T=_DT_FLOAT, Tidx=_DT_INT32)

    def _constant(self, value: float, dtype: int) -> str:
        name = self._add("Const", [], dtype=dtype)
        tensor = self.nodes[name[:-2]].definition.attr["value"].tensor
        tensor.dtype = dtype
        tensor.tensor_shape.SetInParent()
        if dtype == _DT_FLOAT:
            tensor.float_val.append(value)
        else:
            tensor.int_val.append(int(value))
        return name

    def _add(self, op: str, inputs: Iterable[str], **types: int) -> str:
        name = f"{self._prefix}/{op}_{len(self.nodes)}"
        node = make(op, name)
        for key, dtype in types.items():
            node.definition.attr[key].type = dtype
        self.nodes[name] = Node(node.definition, tuple(inputs))
        return f"{name}:0"
