"""A failure that depends on values: an index or the start of a slice is out of range.

The number in the message is a value or the bound of it. A line that holds an equal number for another purpose is no
cause; the lines that made the index come first.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.blame.suspicion import Candidate, chain
from xladoctor.blame.values import Value, leaves
from xladoctor.sources.files import Files
from xladoctor.sources.names import keyword, last_name, walk

OF_VALUES = frozenset({"index-out-of-range", "slice-out-of-bounds"})
LABEL = "label value"
"""What a loss says of labels that are no index of one of its classes."""
_OUTSIDE = re.compile(
    r"(?P<value>-?\d{1,9}) (?:is not in|which is outside the valid range of) \[0, ?(?P<limit>\d{1,9})\)"
    r"|index (?P<at>-?\d{1,9}) is out of bounds for axis \d{1,3} with size (?P<size>\d{1,9})"
)
_SPARSE = re.compile(r"[Ss]parse_?[Cc]ategorical_?[Cc]rossentropy$")
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


def indexed_lists(nodes: Iterable[ast.AST]) -> set[str]:
    """What is indexed by a value as it is, `GRADES[best]`: numbers of this list begin at 0."""
    taken = (n for n in nodes if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Load))
    return {
        ast.unparse(n.value) for n in taken
        if not isinstance(n.slice, ast.Constant | ast.Slice | ast.Tuple | ast.BinOp)
    }  # fmt: skip


def numbered_from_one(nodes: Iterable[ast.AST]) -> set[str]:
    """What `enumerate(GRADES, 1)` numbers."""
    calls = (n for n in nodes if isinstance(n, ast.Call) and last_name(n.func) == "enumerate" and n.args)
    starts = ((c, keyword(c, "start") or (c.args[1] if len(c.args) == 2 else None)) for c in calls)
    return {ast.unparse(c.args[0]) for c, start in starts if isinstance(start, ast.Constant) and start.value == 1}


def of_marks(hops: Mapping[Line, int], crash: Crash, files: Files) -> Iterator[Candidate]:
    """A number that marks what has no class (255, -1) and is far beyond the last one: where it is written, and a loss
    that is not told to leave it out.
    """
    said = _OUTSIDE.search(crash.message)
    value = int(said["value"] or said["at"]) if said is not None else 0
    limit = int(said["limit"] or said["size"]) if said is not None else 0
    if said is None or 0 <= value <= limit or crash.slug not in OF_VALUES:
        return
    nodes = [(f, n) for f in {f: 0 for f, _ in hops} if (s := files.source(f)) is not None for n in walk(s.tree)]
    written = [(file, getattr(node, "lineno", 0)) for file, node in nodes if _is_number(node, value)]
    for at in written if len(written) <= _FEW else ():
        yield Candidate(*at, 7.2, f"It writes {value}, which is no index of {limit} rows.", None, "other", True)
    for file, node in nodes if written and LABEL in crash.message else ():
        makes = isinstance(node, ast.Call) and _SPARSE.search(last_name(node.func))
        if makes and isinstance(node, ast.Call) and keyword(node, "ignore_class") is None:
            reason = f"It takes {value} for one of {limit} classes: `ignore_class` leaves it out."
            yield Candidate(file, node.lineno, 7.6, reason, None, "other", True)


def of_columns(hops: Mapping[Line, int], crash: Crash, files: Files) -> Iterator[Candidate]:
    """A list of columns in another order than the failing line takes them: `table[["film", "user"]]` where
    `self.user(x[:, 0])` failed. The name of another column is on that line, and that of the one taken is not.
    """
    at = crash.at
    source = files.source(at.file) if at is not None and crash.slug in OF_VALUES else None
    nodes = [n for n in walk(source.tree) if getattr(n, "lineno", 0) == at.line] if source is not None and at else []
    said = {n.id if isinstance(n, ast.Name) else n.attr for n in nodes if isinstance(n, ast.Name | ast.Attribute)}
    taken = {n.elts[-1].value for n in nodes if isinstance(n, ast.Tuple) and n.elts
             and isinstance(n.elts[-1], ast.Constant) and type(n.elts[-1].value) is int}  # fmt: skip
    if len(taken) != 1:
        return
    (column,) = taken
    for file, tree in files.trees(f for f, _ in hops).items():
        for node in walk(tree):
            names = _column_names(node)
            if column < len(names) and (file, getattr(node, "lineno", 0)) in hops:
                named = [any(word.startswith(name) or name.startswith(word) for word in said) for name in names]
                if sum(named) == 1 and not named[column]:
                    other = names[named.index(True)]
                    reason = f"Its column {column} is `{names[column]}`; the line that failed takes it for `{other}`."
                    yield Candidate(file, getattr(node, "lineno", 0), 8.0, reason, None, "other", True)


def _column_names(node: ast.AST) -> list[str]:
    """The columns that are selected of a table, in their order: `table[["a", "b"]]`."""
    chosen = node.slice if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.List) else None
    names = [e.value for e in chosen.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)] if chosen else []
    return names if chosen is not None and len(names) == len(chosen.elts) > 1 else []


_FEW = 3


def _is_number(node: ast.AST, value: int) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return value < 0 and _is_number(node.operand, -value)
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == value
