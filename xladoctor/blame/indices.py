"""A failure that depends on values: an index or the start of a slice is out of range.

The number in the message is a value or the bound of it. A line that holds an equal number for another purpose is no
cause; the lines that made the index come first.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from xladoctor.blame.suspicion import Candidate, chain
from xladoctor.blame.values import Value, leaves
from xladoctor.sources.names import last_name, walk

OF_VALUES = frozenset({"index-out-of-range", "slice-out-of-bounds"})
LABEL = "label value"
"""What a loss says of labels that are no index of one of its classes."""
_TAKES = frozenset(
    {"gather", "gather_nd", "batch_gather", "slice", "strided_slice", "dynamic_slice", "embedding_lookup", "take",
     "take_along_axis", "tensor_scatter_nd_update", "tensor_scatter_nd_add", "scatter_nd"}
)  # fmt: skip
INDEX = "It makes the index."


def of_indices(values: Sequence[tuple[ast.expr, Value]], statement: ast.AST | None) -> Iterator[Candidate]:
    """The lines that made what a statement indexes with, the nearest first."""
    indices = {id(node) for index in _indices(statement) for node in walk(index)}
    for expression, value in values:
        if id(expression) in indices:
            for one in leaves(value):
                for origin, depth in chain(one.origin, 4):
                    yield Candidate(origin.file, origin.line, 5.0 - 0.5 * depth, INDEX, None, "other")


def _indices(statement: ast.AST | None) -> Iterator[ast.expr]:
    """What stands in the place of an index, a start or a size."""
    for node in walk(statement) if statement is not None else ():
        if isinstance(node, ast.Call) and last_name(node.func) in _TAKES:
            yield from node.args[1:]
            yield from (word.value for word in node.keywords if word.arg not in ("params", "input", "input_", "name"))
        elif isinstance(node, ast.Subscript):
            yield node.slice
