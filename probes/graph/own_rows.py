"""The rows that the elements of a tensor are of, where each depends on all rows by a statistic of the batch; and what
is of no row.

What is divided by its sum over the batch, or centred by its mean, depends on every row. Yet each element belongs to the
row that it is computed for: that of the one operand that has an element for it.
"""

from __future__ import annotations

from .ir import Graph, descendants, split
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


def _of_the_call(graph: Graph) -> frozenset[str]:
    """The nodes that depend on what a call gives, and not only on what the function captured."""
    given = {i.name for i in graph.inputs if i.role in ("argument", "data") and not i.captured}
    return frozenset(descendants(graph, given, controls=False) | given)


def is_for_every_row(graph: Graph, found: RowSets, longer: str, shorter: str) -> bool:
    """A mask or a table beside data of the call: what the function captured, of the very shape of one row. That its
    first axis is as long as the batch is chance.
    """
    of_call = _of_the_call(graph)
    one, rows = found.sets[shorter].shape, found.sets[longer].shape
    known = [split(t)[0] in of_call for t in (longer, shorter)]
    return known == [True, False] and one == rows[len(rows) - len(one) :]
