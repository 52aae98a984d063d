"""What is divided by a sum or a norm of itself: a softmax by hand, `p / reduce_sum(p)`, `l2_normalize`."""

from __future__ import annotations

from .ir import Graph, descendants, split
from .lineage import Lineage
from .row_sets import RowSets, is_gradient

_ROOTS = ("Rsqrt", "Sqrt")
_KEEPS = frozenset({"Maximum", "Minimum", "AddV2", "Add", "Identity", "Reshape", "ExpandDims", "Squeeze"})
_PRODUCTS = frozenset({"MatMul", "BatchMatMulV2", "Einsum"})
_DEPTH = 6


def scaled(graph: Graph, lineage: Lineage, name: str) -> tuple[str, str] | None:
    """(what is scaled, the sum that it is scaled by) of an op that divides something by a sum of itself, or by a root
    of the sum of its squares; None for any other.
    """
    node = graph.nodes[name]
    for one, other in ((0, 1), (1, 0)) if node.op == "Mul" else ((0, 1),):
        total, root = _total(graph, node.inputs[other])
        # A product with a reciprocal root is a division; any other product is none.
        if total is None or (node.op == "Mul" and root != "Rsqrt") or root == ("Rsqrt" if node.op != "Mul" else ""):
            continue
        summed = graph.nodes[split(total)[0]].inputs[0]
        if root is not None:
            squared = graph.nodes[split(summed)[0]]
            if squared.op not in ("Square", "Mul") or (squared.op == "Mul" and len(set(squared.inputs)) > 1):
                continue
            summed = squared.inputs[0]
        if lineage.same(node.inputs[one], summed):
            return node.inputs[one], total
    return None


def is_meant(graph: Graph, found: RowSets, lineage: Lineage, name: str) -> bool:
    """Whether a scaling over the rows is meant: rows and columns are scaled in turn, or columns are compared by a
    product over the rows.
    """
    for other in descendants(graph, [name], controls=False) - {name}:
        node = graph.nodes[other]
        if node.op == "RealDiv" and scaled(graph, lineage, other) is not None:
            return True
        if node.op not in _PRODUCTS or is_gradient(graph, other):
            continue
        # What depends on all rows alike has no axis of rows in its sets, and may have them all the same.
        value = found.values.get(f"{other}:0")
        if value is None or found.batch not in value.shape:
            return True
    return False


def _total(graph: Graph, tensor: str) -> tuple[str | None, str | None]:
    """(the sum behind a divisor, the op of the root that was taken of it)."""
    root = None
    for _ in range(_DEPTH):
        node = graph.nodes[split(tensor)[0]]
        if node.op == "Sum":
            return tensor, root
        if node.op in _ROOTS and root is None:
            root = node.op
        elif node.op not in _KEEPS:
            return None, None
        given = [t for t in node.inputs if graph.nodes[split(t)[0]].op != "Const"]
        if not given:
            return None, None
        tensor = given[0]
    return None, None
