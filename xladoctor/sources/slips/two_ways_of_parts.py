"""Parts that are cut out of an array in one order, and put together in another."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from xladoctor.sources.names import last_name, nodes_of
from xladoctor.sources.parts import Parts, parts_of
from xladoctor.sources.slips.slip import Slip

_SHEETS = re.compile(r"mosaic|montage|gallery|collage|contact|figure|plot|panel|preview|sheet|show|draw")
_FIRST = {True: "rows", False: "columns"}


def two_ways_of_parts(trees: Mapping[str, ast.Module]) -> Iterator[tuple[str, Slip]]:
    """(file, slip) of each place that takes the columns of the grid first, where its partner takes the rows first."""
    found = [p for file, tree in trees.items() for p in parts_of(file, tree)]
    for one in found:
        if one.torn:
            yield one.file, _torn(one)
    sure = [p for p in found if not p.torn and not _SHEETS.search(p.name)]
    cuts, joins = ([p for p in sure if p.joins is joins] for joins in (False, True))
    if len({p.rows for p in cuts}) != 1:
        return
    wrong = [p for p in joins if p.rows != cuts[0].rows]
    for join in wrong:
        cut = next((c for c in cuts if _belong(c, join, trees)), None)
        if cut is not None and not any(p.rows == cut.rows and p.name == join.name for p in joins):
            place = join if cut.rows else cut
            yield place.file, _slip(place, cut, join)
            return


def _belong(cut: Parts, join: Parts, trees: Mapping[str, ast.Module]) -> bool:
    """Whether both are of one file, or one file calls both."""
    if cut.file == join.file:
        return True
    called = ({last_name(c.func) for c in nodes_of(tree, ast.Call)} for tree in trees.values())
    return any({cut.name, join.name} <= names for names in called)


def _slip(place: Parts, cut: Parts, join: Parts) -> Slip:
    where = f"{Path(cut.file).name}:{cut.line}" if place is join else f"{Path(join.file).name}:{join.line}"
    return Slip(
        "parts-in-two-orders",
        place.line,
        f"`{join.name}` puts parts together {_FIRST[join.rows]} first, `{cut.name}` cuts them {_FIRST[cut.rows]} first",
        f"`{cut.name}` has the parts of the first {_FIRST[cut.rows][:-1]} of the grid in front, then those of the "
        f"next. `{join.name}` takes the first ones for the first {_FIRST[join.rows][:-1]}. The sizes fit, and the "
        f"parts come to other places than they were cut from. The other place is {where}.",
    )


def _torn(one: Parts) -> Slip:
    what = "puts parts together" if one.joins else "cuts parts"
    return Slip(
        "parts-not-moved",
        one.line,
        f"`{one.name}` {what} by reshapes without a transposition between them",
        "The first reshape gives the grid of parts and the inside of a part axes of their own, and the second one "
        "takes them together as they lie. The numbers stay in their order, so that no part is a block of the array. "
        "The axes of the grid have to be brought next to each other in between.",
    )
