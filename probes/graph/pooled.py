"""What is reduced over the rows of the batch, and given back to each row: a mean or a sum over the wrong axis.

What a model computes of one row then depends on the rows beside it. A statistic that is kept in a variable for later is
one of the batch on purpose, and so is one that only comes into a loss, or beside the rows by `tf.concat`. Which part of
the program an op belongs to is not known here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..protocol.comparisons import PooledRows
from .ir import Graph, ancestors, descendants, split
from .lineage import ELEMENTWISE, Lineage
from .row_sets import BITS, RowSets, axes_of_rows, is_clean, is_gradient
from .scaled import scaled

_EVERY = frozenset({"Mean", "Sum"})
_SOME = frozenset({"Max", "Min"})
"""Taken off all elements alike they only keep numbers small."""
_LOSS = "compile_loss"
_MOST = 4
_BACK = 2000


def pooled(graph: Graph, found: RowSets, lineage: Lineage, finals: Mapping[str, str]) -> Iterator[PooledRows]:
    """Each such reduction, the first of those behind one another."""
    kept = {split(t)[0] for t in finals.values()}
    users = users_of(graph)
    order = {name: n for n, name in enumerate(graph.nodes)}.__getitem__
    behind: set[str] = set()
    told = 0
    for name in graph.nodes:
        if name in behind or told >= _MOST or not _reduces_rows(graph, found, name):
            continue
        reached = _reached(graph, found, users, name)
        if reached is None or reached & kept:
            continue
        meetings = (m for n in sorted(reached, key=order) for m in _meetings(graph, found, users, n))
        meets = next((m for m in dict.fromkeys(meetings) if _stays(graph, found, users, m)), None)
        if meets is None or scaled(graph, lineage, meets) is not None:
            continue
        told += 1
        behind |= descendants(graph, [name, meets], controls=False)
        # A mean and a variance of the same tensor are one statistic.
        given = graph.nodes[name].inputs[0]
        behind |= {n for n in graph.nodes if graph.nodes[n].inputs[:1] == (given,)}
        before, after, over = (tuple(found.values[t].shape) for t in (given, f"{name}:0", f"{meets}:0"))
        at = vars(lineage.place(name))
        yield PooledRows(**at, shapes=(before, after), over=over, meets=lineage.place(meets))


def _reduces_rows(graph: Graph, found: RowSets, name: str) -> bool:
    node = graph.nodes[name]
    if node.op not in _EVERY | _SOME or is_gradient(graph, name) or _in_loss(graph, name):
        return False
    before, after = (found.sets.get(t) for t in (node.inputs[0], f"{name}:0"))
    if before is None or after is None or not is_clean(before) or not axes_of_rows(before):
        return False
    if node.op in _SOME and after.size < 2:
        return False
    return bool(BITS[after].max() >= 2) and not _has_rows(found, f"{name}:0")


def _has_rows(found: RowSets, tensor: str, flat: bool = False) -> bool:
    """Whether a tensor has an axis as long as the batch, or, `flat`, one along which several items of each row may lie:
    of what depends on all rows, the sets do not show it.
    """
    value = found.values.get(tensor)
    return value is not None and any(n == found.batch or (flat and n and not n % found.batch) for n in value.shape)


def _reached(graph: Graph, found: RowSets, users: Mapping[str, list[str]], name: str) -> set[str] | None:
    """The nodes that are computed of a reduction without meeting rows; None if they are too many."""
    todo, seen = [name], {name}
    while todo:
        for user in users.get(todo.pop(), ()):
            if user in seen or is_gradient(graph, user) or _has_rows(found, f"{user}:0"):
                continue
            seen.add(user)
            todo.append(user)
            if len(seen) > _BACK:
                return None
    return seen


def _meetings(graph: Graph, found: RowSets, users: Mapping[str, list[str]], name: str) -> Iterator[str]:
    """The element-wise ops that spread a node's result over rows."""
    for user in users.get(name, ()):
        if graph.nodes[user].op not in ELEMENTWISE or is_gradient(graph, user) or _in_loss(graph, user):
            continue
        others = [t for t in graph.nodes[user].inputs if split(t)[0] != name]
        sets = [found.sets[t] for t in others if t in found.sets and _has_rows(found, t)]
        if _has_rows(found, f"{user}:0") and any(is_clean(s) and axes_of_rows(s) for s in sets):
            yield user


def _stays(graph: Graph, found: RowSets, users: Mapping[str, list[str]], name: str) -> bool:
    """Whether rows of it come to a result of the function, or meet data that it was not made of: the targets."""
    own = ancestors(graph, [f"{name}:0"])
    targets = [split(t)[0] for t in found.inputs if split(t)[0] not in own]
    apart = descendants(graph, targets, controls=False) if targets else set()
    results = {split(t)[0] for t in graph.outputs}
    todo, seen = [name], {name}
    while todo and len(seen) < _BACK:
        here = todo.pop()
        if here in results:
            return True
        for user in users.get(here, ()):
            if user in seen or is_gradient(graph, user):
                continue
            if user in apart and any(split(t)[0] in apart for t in graph.nodes[user].inputs):
                return True
            if _has_rows(found, f"{user}:0", flat=True):
                seen.add(user)
                todo.append(user)
    return False


def _in_loss(graph: Graph, name: str) -> bool:
    origin = graph.origins.get(name)
    return origin is not None and any(_LOSS in part for part in (*origin.path, origin.node))


def users_of(graph: Graph) -> dict[str, list[str]]:
    """{node: those that take something of it}."""
    found: dict[str, list[str]] = {}
    for name, node in graph.nodes.items():
        for tensor in dict.fromkeys(split(t)[0] for t in node.inputs):
            found.setdefault(tensor, []).append(name)
    return found
