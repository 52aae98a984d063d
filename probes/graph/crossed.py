"""Rows that meet others by an index of their own, by a shift over the end of a row, or by another draw.

Each of them gives as many rows as it takes, and numbers of the right size: an einsum whose second operand names its
rows with a letter that is summed; a roll of flattened rows, which takes the first item of the next row for the last
one of this row; a mixing-up of data and of labels with the same weight, and partners of two different draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from .ir import Graph, inputs_of, reach, split
from .leaves import SHAPE_ONLY
from .lineage import ELEMENTWISE, GATHERS, HANDS_ON, Lineage
from .randomness import drawn
from .row_sets import RowSets, along, axes_of_rows, in_blocks, is_clean, is_gradient

_EINSUMS = ("Einsum", "XlaEinsum")
_MASKS = frozenset({"Mul", "MulNoNan", "Select", "SelectV2"})
_SCALES = ("Mul", "RealDiv", "Neg")
_BACK = 60


def contracted(graph: Graph, found: RowSets, lineage: Lineage, name: str) -> tuple[str, str] | None:
    """(the operand whose rows stay, the one whose rows are summed) of an einsum that sums over all rows of the one for
    each row of the other.
    """
    node = graph.nodes[name]
    if node.op not in _EINSUMS or len(node.inputs) != 2 or is_gradient(graph, name):
        return None
    given, _, result = node.definition.attr["equation"].s.decode().replace(" ", "").partition("->")
    letters = given.split(",")
    one, other = node.inputs
    if "." in given or len(letters) != 2 or lineage.same(one, other):
        return None
    rows = [_row_letter(found, t, word) for t, word in zip((one, other), letters, strict=True)]
    for kept, summed in ((0, 1), (1, 0)):
        stays, goes = rows[kept], rows[summed]
        if stays is not None and goes is not None and stays in result and goes not in result + letters[kept]:
            return node.inputs[kept], node.inputs[summed]
    return None


def _row_letter(found: RowSets, tensor: str, letters: str) -> str | None:
    sets = found.sets.get(tensor)
    if sets is None or sets.ndim != len(letters) or not is_clean(sets):
        return None
    axes = axes_of_rows(sets)
    return letters[axes[0]] if len(axes) == 1 and sets.shape[axes[0]] == found.batch else None


def rolled(graph: Graph, found: RowSets, users: Mapping[str, list[str]], name: str) -> tuple[str, str] | None:
    """(what is rolled, what it meets) of a roll by less than a row along an axis on which the rows lie flat, one item
    after the other, that is added to or taken from such rows. What is first multiplied by data may be masked there.
    """
    node = graph.nodes[name]
    before, after = (found.sets.get(t) for t in (node.inputs[0], f"{name}:0")) if node.op == "Roll" else (None, None)
    if before is None or after is None or is_gradient(graph, name) or axes_of_rows(before) != [0]:
        return None
    items, rest = divmod(len(before), found.batch)
    rows = along(before, 0)
    if items < 2 or rest or not is_clean(before) or not in_blocks(rows):
        return None
    if not any((along(after, 0) == np.roll(rows, shift)).all() for n in range(1, items) for shift in (n, -n)):
        return None
    todo, seen = [f"{name}:0"], set[str]()
    while todo and len(seen) < _BACK:
        tensor = todo.pop()
        for user in users.get(split(tensor)[0], ()):
            op = graph.nodes[user].op
            if user in seen or is_gradient(graph, user):
                continue
            seen.add(user)
            others = [t for t in graph.nodes[user].inputs if t != tensor and t in found.sets]
            if op in HANDS_ON or (op in _SCALES and not others):
                todo.append(f"{user}:0")
            elif op in ELEMENTWISE - _MASKS:
                own = [t for t in others if len(found.sets[t]) == len(rows) and (along(found.sets[t], 0) == rows).all()]
                if own:
                    return node.inputs[0], own[0]
    return None


def mixed_apart(graph: Graph, found: RowSets, lineage: Lineage) -> Iterator[tuple[str, str, str]]:
    """(the addition, what it mixes, what is mixed elsewhere) of rows that are mixed with partners of another draw than
    those of which the weights are the same.
    """
    random = {n for which in drawn(graph) for n in which}
    known: dict[str, tuple[str, str]] = {}
    for name, node in graph.nodes.items():
        if node.op not in ("Add", "AddV2") or is_gradient(graph, name) or len(node.inputs) != 2:
            continue
        mix = _mix(graph, found, lineage, node.inputs, random)
        if mix is None:
            continue
        weight, data, partners = mix
        if weight not in known:
            known[weight] = (data, partners)
            continue
        first, others = known[weight]
        if first != data and not np.array_equal(found.values[others], found.values[partners]):
            yield name, data, first


def _mix(
    graph: Graph, found: RowSets, lineage: Lineage, operands: tuple[str, ...], random: set[str]
) -> tuple[str, str, str] | None:
    """(the weight, the data, the numbers of the partners) of `w * data + (1 - w) * gather(data, numbers)`."""
    parts = [_factors(graph, lineage, t) for t in operands]
    for own, other in ((0, 1), (1, 0)):
        for weight, data in parts[own]:
            for rest, taken in parts[other]:
                node = graph.nodes[split(taken)[0]]
                if (
                    node.op not in GATHERS
                    or lineage.core(node.inputs[0]) != data
                    or not _is_rest(graph, lineage, rest, weight)
                ):
                    continue
                if _is_drawn_order(graph, found, node.inputs[1], random):
                    return weight, data, node.inputs[1]
    return None


def _factors(graph: Graph, lineage: Lineage, tensor: str) -> list[tuple[str, str]]:
    node = graph.nodes[split(lineage.core(tensor))[0]]
    if node.op != "Mul":
        return []
    one, other = (lineage.core(t) for t in node.inputs[:2])
    return [(one, other), (other, one)]


def _is_rest(graph: Graph, lineage: Lineage, rest: str, weight: str) -> bool:
    """Whether a factor is one minus another, or that one is one minus it."""
    pairs = ((rest, weight), (weight, rest))
    nodes = ((graph.nodes[split(a)[0]], b) for a, b in pairs)
    return any(n.op == "Sub" and lineage.core(n.inputs[1]) == b for n, b in nodes)


def _is_drawn_order(graph: Graph, found: RowSets, numbers: str, random: set[str]) -> bool:
    value = found.values.get(numbers)
    if value is None or not np.array_equal(np.sort(value, axis=None), np.arange(found.batch)):
        return False
    above = _by_value(graph, numbers)
    return bool(above & random) and not above & {split(t)[0] for t in found.inputs}


def _by_value(graph: Graph, tensor: str) -> set[str]:
    """The nodes on whose values a tensor hangs, and not on their shapes alone."""
    return set(
        reach([split(tensor)[0]], lambda name: [] if graph.nodes[name].op in SHAPE_ONLY else inputs_of(graph, name))
    )
