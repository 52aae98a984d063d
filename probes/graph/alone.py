"""A softmax, or a division by a sum, over an axis of one: each result is 1, whatever it is given.

A weight of attention is meant to be compared with others: where a product with trained weights gives one score for each
of several items, another axis has the items. That the result never changed while rows were changed is measured.
"""

from __future__ import annotations

from .ir import Graph, split
from .lineage import HANDS_ON, Lineage
from .row_sets import RowSets, axes_of_rows
from .scaled import scaled

_PRODUCTS = frozenset({"MatMul", "BatchMatMulV2", "Einsum", "XlaEinsum", "Conv2D"})
_KEEPS = HANDS_ON | {"Reshape", "Transpose", "Exp", "Tanh", "Relu", "LeakyRelu", "Elu", "Softplus", "Sigmoid"}
_WITH = frozenset({"BiasAdd", "Add", "AddV2", "Sub", "Mul", "RealDiv"})
_BACK = 20


def alone(graph: Graph, found: RowSets, lineage: Lineage, name: str) -> str | None:
    """What is normalised over an axis of one, by an op that does so; None for any other op."""
    node = graph.nodes[name]
    if node.op == "RealDiv":
        given = (scaled(graph, lineage, name) or (None,))[0]
    else:
        given = node.inputs[0] if node.op in ("Softmax", "LogSoftmax") else None
    sets = None if given is None else found.sets.get(given)
    if given is None or sets is None or f"{name}:0" in found.sets or sets.ndim < 3 or sets.shape[-1] != 1:
        return None
    items = [size for axis, size in enumerate(sets.shape) if size > 1 and axis not in axes_of_rows(sets)]
    return given if items and _of_weights(graph, found, given) else None


def _of_weights(graph: Graph, found: RowSets, tensor: str) -> bool:
    """Whether a tensor is a product with what does not depend on the data, made so that the product has one column."""
    for _ in range(_BACK):
        node = graph.nodes[split(tensor)[0]]
        by_data = [t for t in node.inputs if t in found.sets]
        if node.op in _PRODUCTS:
            return len(by_data) == 1 and len(node.inputs) == 2
        if len(by_data) != 1 or node.op not in _KEEPS | _WITH:
            return False
        tensor = by_data[0]
    return False
