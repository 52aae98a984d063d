"""What the axis names of contracts mean, in words."""

from __future__ import annotations

from collections.abc import Iterable

from xladoctor.model.diagnosis import ShapeRow
from xladoctor.report.facts import names_in
from xladoctor.report.shapes import contract_of

# Of the contracts that the doctor brings along for `ptycho`; for other places nobody but their author knows.
_PTYCHO = {
    "B": "groups",
    "C": "patches a group",
    "N": "patch side",
    "M": "image side",
    "P": "canvas side",
    "K": "images",
    "H": "height",
    "W": "width",
    "D": "depth",
}
_SAME = "one name is one size within a call"


def axes(rows: Iterable[ShapeRow]) -> str:
    """One sentence on the axis names that stand in the contracts of these rows; empty where there are none."""
    rows = list(rows)
    said = names(rows)
    if said:
        return f"{said}; {_SAME}"
    return _SAME if any(names_in(contract_of(row)) for row in rows) else ""


def names(rows: Iterable[ShapeRow]) -> str:
    """The names alone; empty unless all of them are ours to explain."""
    found: list[str] = []
    for row in rows:
        if not str(row.place).startswith("ptycho."):
            return ""
        found += [name for name in names_in(contract_of(row)) if name not in found]
    return ", ".join(f"{name} {_PTYCHO[name]}" for name in found if name in _PTYCHO)
