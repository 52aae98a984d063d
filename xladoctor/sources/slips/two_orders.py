"""Values whose parts come in one order where they are made, and in another one where they are taken apart."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from xladoctor.sources.components import FLIPPED, Order, Taken, meetings, role
from xladoctor.sources.order import scope_at
from xladoctor.sources.slips.slip import Slip
from xladoctor.sources.taken_apart import turned_partings

_LEAST = 3
_PAIR = re.compile(r"\b([a-z]\w{0,20})\s*,\s*([a-z]\w{0,20})\b")
_AXIS = {"rows": "rows (y)", "columns": "columns (x)"}


def two_orders(trees: Mapping[str, ast.Module]) -> Iterator[tuple[str, Slip]]:
    """(file, slip) of components of positions and moves, and of parts that are taken by their names."""
    yield from _of_components(trees)
    for one, right in turned_partings(trees, _LEAST):
        if {role(part) for part in one.parts} != {"rows", "columns"}:
            continue  # of others nobody knows whether one is meant for the other
        order, other = ", ".join(one.parts), ", ".join(right.parts)
        yield (
            one.file,
            Slip(
                "two-orders",
                one.line,
                f"`{one.of}` is taken as `{order}` here, and as `{other}` elsewhere",
                f"{_place(right.file, right.line)} has it as `{other}`. If the two sizes are equal, nothing fails, and "
                "one is computed with in the place of the other.",
            ),
        )


def _of_components(trees: Mapping[str, ast.Module]) -> Iterator[tuple[str, Slip]]:
    by_maker: dict[tuple[str, int, str], list[tuple[Taken, Order]]] = defaultdict(list)
    for taken, order in meetings(trees):
        by_maker[order.file, order.line, order.first].append((taken, order))
    for found in by_maker.values():
        wrong = [(t, o) for t, o in found if t.first != o.first]
        if len(wrong) < len(found):  # other lines take them in the order in which they are made
            for taken, order in wrong:
                yield taken.file, _slip(taken.line, taken, order, (order.file, order.line))
            continue
        taken, order = wrong[0]
        is_meant = order.first != order.made or _described(trees, order) == order.made
        file, line = order.handed_at if is_meant and order.handed_at is not None else (order.file, order.line)
        yield file, _slip(line, taken, order, (taken.file, taken.line))


def _slip(line: int, taken: Taken, order: Order, other: tuple[str, int]) -> Slip:
    name = ast.unparse(taken.of)[:40]
    return Slip(
        "two-orders",
        line,
        f"The components of `{name}` come as {_AXIS[order.first]} first, and are taken as {_AXIS[taken.first]} first",
        f"They are put together at {_place(order.file, order.line)}, with {_AXIS[order.made]} in front, "
        f"{'turned' if order.first != order.made else 'not turned'} after that, and {_place(taken.file, taken.line)} "
        f"takes the first one for {_AXIS[taken.first]}. Either place may be wrong; the other one is {_place(*other)}.",
    )


def _described(trees: Mapping[str, ast.Module], order: Order) -> str:
    """What comes first by the description of the function that puts them together; nothing where it does not say."""
    scope = scope_at(trees[order.file], order.line)
    text = ast.get_docstring(scope) if isinstance(scope, ast.FunctionDef) else None
    for one, other in _PAIR.findall((text or "").lower()):
        if role(one) and role(other) == FLIPPED[role(one)]:
            return role(one)
    return ""


def _place(file: str, line: int) -> str:
    return f"{Path(file).name}:{line}"
