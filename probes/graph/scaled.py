"""What is divided by a sum or a norm of itself: a softmax by hand, `p / reduce_sum(p)`, `l2_normalize`."""

from __future__ import annotations

from .ir import Graph, split
from .lineage import Lineage

_ROOTS = ("Rsqrt", "Sqrt")
_KEEPS = frozenset({"Maximum", "Minimum", "AddV2", "Add", "Identity", "Reshape", "ExpandDims", "Squeeze"})
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
