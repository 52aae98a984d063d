"""Class numbers that are used as if they were one-hot: in a loss of Keras, spread over all classes of a row.

A target of whole numbers with one number a row, (N, 1), is multiplied by what is computed of a softmax over C classes,
(N, C): every class of the row is weighed with the number of the class. A loss of classes needs the row's own class,
by a gather or by one-hot rows. What is compared with such a target, or subtracted from it, may be meant so.
"""

from __future__ import annotations

from .ir import Graph, split
from .lineage import ELEMENTWISE, HANDS_ON, ONE_BY_ONE
from .row_sets import RowSets

_LOSS = "compile_loss"
"""The scope in which Keras puts outputs and targets together."""
_GRADIENTS = "gradient_tape"
_WHOLE = frozenset({3, 4, 5, 6, 9, 17, 22, 23})
"""The numbers of TensorFlow's types of whole numbers."""
_HANDS_ON = frozenset({"Cast", "EnsureShape", "ExpandDims", "Identity", "Neg", "Reshape", "Squeeze", "StopGradient"})
_EACH = ELEMENTWISE | HANDS_ON | ONE_BY_ONE | {"ClipByValue"}
_OVER_CLASSES = frozenset({"LogSoftmax", "Softmax"})
_BACK = 60


def spread(graph: Graph, found: RowSets, name: str) -> tuple[str, str] | None:
    """The class numbers and the prediction that a `Mul` puts together, if it does that."""
    node = graph.nodes[name]
    place = "/".join((*graph.origins[name].path, graph.origins[name].node))
    if node.op != "Mul" or _LOSS not in place or _GRADIENTS in place:
        return None
    one, other = node.inputs[:2]
    for labels, prediction in ((one, other), (other, one)):
        ones, classes = (_columns(found, t) for t in (labels, prediction))
        if ones != 1 or classes is None or classes < 2:
            continue
        if _are_class_numbers(graph, labels) and _is_of_softmax(graph, found, prediction, classes):
            return labels, prediction
    return None


def _columns(found: RowSets, tensor: str) -> int | None:
    """The second axis of a tensor with two."""
    value = found.values.get(tensor)
    return int(value.shape[1]) if value is not None and value.ndim == 2 else None


def _are_class_numbers(graph: Graph, tensor: str) -> bool:
    """Whether a tensor is data of whole numbers, or one minus these."""
    inputs = {i.name: i for i in graph.inputs}
    for _ in range(_BACK):
        name = split(tensor)[0]
        if name in inputs:
            return inputs[name].role == "data" and inputs[name].dtype in _WHOLE
        node = graph.nodes[name]
        if node.op == "Sub" and graph.nodes[split(node.inputs[0])[0]].op == "Const":
            tensor = node.inputs[1]
        elif node.op in _HANDS_ON and node.inputs:
            tensor = node.inputs[0]
        else:
            return False
    return False


def _is_of_softmax(graph: Graph, found: RowSets, tensor: str, classes: int) -> bool:
    """Whether a tensor is computed, number by number, of a softmax over the classes."""
    todo, seen = [tensor], set[str]()
    while todo and len(seen) < _BACK:
        tensor = todo.pop()
        name = split(tensor)[0]
        if name in seen or _columns(found, tensor) != classes:
            continue
        seen.add(name)
        node = graph.nodes[name]
        if node.op in _OVER_CLASSES:
            return True
        todo += node.inputs if node.op in _EACH else ()
    return False
