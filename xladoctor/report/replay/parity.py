"""Parity: what disagrees, each in a sentence; what agrees, one line for each pair of ways."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from xladoctor.report.document import Bullets, Item, Part, points
from xladoctor.report.replay.words import count, ranges, seconds

if TYPE_CHECKING:
    from xladoctor.model.replay import Agreement, Parity, Replay

_FEW = 12
_INFINITE = 1e308


def part(found: Replay, all_of_it: bool) -> Part | None:
    """Disagreements with what they are, where the ways part, what agrees, and what cannot be compared."""
    parity = found.parity
    if parity is None:
        return None
    bad = Bullets(tuple(Item(differs(one), one.slug or "", "red") for one in _shown(parity, all_of_it)))
    return Part("parity", "Parity", cost(parity), (bad, points(list(_rest(parity, all_of_it)))))


def cost(parity: Parity) -> str:
    """At which size, in how many ways, and what it took."""
    size = f"batch {parity.batch}; " if parity.batch is not None else ""
    return f"{size}{', '.join(parity.ways) or 'no way'}; {count(parity.tries, 'try')}, {seconds(parity.seconds)}"


def differs(one: Agreement) -> str:
    """A disagreement in words."""
    text = f"{one.output}, {one.between}"
    if one.shapes[0] != one.shapes[1]:
        text += f": {_shape(one.shapes[0])} against {_shape(one.shapes[1])}"
    elif one.deviation is not None:
        text += f": differs{_numbers(one)}"
    if one.rows:
        text += f", in row{'s' if len(one.rows) > 1 else ''} {ranges(sorted(one.rows))}"
    return f"{text}; {one.what}" if one.what else text


def deviations(parity: Parity) -> tuple[list[list[float | None]], list[str], list[str], float | None]:
    """(deviations with an output a row and a pair of ways a column, the outputs, the pairs, the tolerance).

    Where tolerances differ, the deviations are multiples of their own, and the tolerance is 1. What is about the number
    of rows has no deviation.
    """
    found = [a for a in parity.agreements if a.deviation is not None or (not a.agree and a.tolerance)]
    rows = list(dict.fromkeys(a.output for a in found))
    columns = list(dict.fromkeys(a.between for a in found))
    tolerances = {a.tolerance for a in found if a.tolerance}
    common = next(iter(tolerances)) if len(tolerances) == 1 else 1.0 if tolerances else None
    matrix: list[list[float | None]] = [[None] * len(columns) for _ in rows]
    for a in found:
        value = math.inf if a.deviation is None else abs(a.deviation)
        if len(tolerances) > 1:
            value /= a.tolerance or min(tolerances)
        matrix[rows.index(a.output)][columns.index(a.between)] = value
    return matrix, rows, columns, common


def _shown(parity: Parity, verbose: bool) -> Sequence[Agreement]:
    """Disagreements, the telling ones first: lost rows, wrong rows, then values."""
    rank = {"wrong-shape-silent": 0, "wrong-pairing": 1}
    bad = sorted((a for a in parity.agreements if not a.agree), key=lambda a: rank.get(a.slug or "", 2))
    if verbose:
        return bad
    # Several tests of the same rows say the same thing; the first is enough.
    first: dict[object, Agreement] = {}
    for i, one in enumerate(bad):
        first.setdefault((one.slug, one.output, one.ways) if one.test else i, one)
    return list(first.values())[:_FEW]


def _rest(parity: Parity, verbose: bool) -> Iterator[str]:
    bad = [a for a in parity.agreements if not a.agree]
    left = len(bad) - len(_shown(parity, verbose))
    if left:
        yield f"and {left} more disagreement{'s' if left > 1 else ''} of this kind; --verbose or replay.json shows them"
    if parity.rule is not None:
        yield f"{parity.rule.text}. Tried: {ranges(parity.rule.seen)}"
    node = parity.first_node
    if node:
        where = f" ({node['location']})" if node.get("location") else ""
        raises = node.get("message") and node.get("deviation") is None and not node.get("shapes")
        what = "the op at which plain execution raises" if raises else "first op that differs on the same values"
        text = f"{what}: {node.get('op') or 'an op'}, node {node.get('node')}{where}"
        yield text + (f": {node['message']}" if node.get("message") else "")
    kinds: dict[str, list[Agreement]] = {}
    for one in parity.agreements:
        if one.agree:
            kinds.setdefault(one.between, []).append(one)
    for between, ones in kinds.items():
        worst = max(ones, key=lambda a: (a.deviation or 0.0) / (a.tolerance or 1.0))
        yield f"{between}: {count(len(ones), 'output')} agree{'s' if len(ones) == 1 else ''}{_numbers(worst)}"
    yield from parity.not_comparable


def _numbers(one: Agreement) -> str:
    if one.deviation is None:
        return ""
    if one.deviation > _INFINITE:
        return " by infinities or NaN on one side"
    text = f" {'to' if one.agree else 'by'} {one.deviation:.2g}"
    if one.tolerance is not None:
        text += f" (tolerance {one.tolerance:.2g})"
    if one.amplitude is not None and not one.agree:
        text += f", amplitude {one.amplitude:.2g}"
    if one.phase is not None and not one.agree:
        text += f", phase {one.phase:.2g} rad"
    return text


def _shape(shape: Sequence[int] | None) -> str:
    return "nothing" if shape is None else str(list(shape))
