"""The rows that the elements of a tensor are of, where each depends on all rows by a statistic of the batch.

What is divided by its sum over the batch, or centred by its mean, depends on every row. Yet each element belongs to the
row that it is computed for: that of the one operand that has an element for it.
"""

from __future__ import annotations

from .ir import Graph, split
from .lineage import ELEMENTWISE, HANDS_ON, ONE_BY_ONE
from .measure import Array
from .row_sets import RowSets, axes_of_rows

_BACK = 60


def own_rows(graph: Graph, found: RowSets, tensor: str) -> Array:
    """The row sets of a tensor in `found.sets`, of its own rows alone where a statistic hides them."""
    given, shape = found.sets[tensor], found.sets[tensor].shape
    for _ in range(_BACK):
        sets = found.sets[tensor]
        if axes_of_rows(sets):
            return sets
        node = graph.nodes[split(tensor)[0]]
        own = [t for t in node.inputs if t in found.sets and found.sets[t].shape == shape]
        if node.op not in ELEMENTWISE | HANDS_ON | ONE_BY_ONE or len(own) != 1:
            break
        tensor = own[0]
    return given
