"""A cast of floats to a small integer type that cannot hold them: what it gives depends on the machine and the place.

Such a cast is undefined. XLA keeps to the ends of the type; plain kernels do that for most elements, and wrap the last
few of an array around.
"""

from __future__ import annotations

import numpy as np

from .ir import Graph, ancestors
from .row_sets import RowSets, is_gradient
from .step import Step

_RANGES = {4: (0, 2**8), 17: (0, 2**16), 6: (-(2**7), 2**7), 5: (-(2**15), 2**15)}
"""By the number of a type: the least number that it holds, and the first one above."""
_SHARE = 0.01


def wrapped(step: Step, graph: Graph, found: RowSets, name: str) -> str | None:
    """What a cast is given, if its type does not hold 1 % of it or more, on values that the run had."""
    node = graph.nodes[name]
    bounds, value = _RANGES.get(node.definition.attr["DstT"].type), found.values.get(node.inputs[0])
    if bounds is None or value is None or value.dtype.kind != "f" or not value.size or is_gradient(graph, name):
        return None
    before = ancestors(graph, [node.inputs[0]])
    if any(i.name in before and (i.label or i.name) in step.filled for i in graph.inputs):
        return None
    outside = np.isfinite(value) & ((value <= bounds[0] - 1) | (value >= bounds[1]))
    return node.inputs[0] if float(outside.mean()) >= _SHARE else None
