"""A broken constraint in words: what each side is, how large, and from which line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from xladoctor.blame.values import Array, Clash, Dim, Layer, Origin, Value
from xladoctor.model.blame import Constraint, Operand, Relation
from xladoctor.model.diagnosis import Location
from xladoctor.sources.files import Files

RANK = "rank changed"
_NOUN = {
    "rank": ("axis", "axes"),
    "elements": ("element", "elements"),
    "rows": ("row", "rows"),
    "classes": ("class", "classes"),
}


def axes(count: int) -> str:
    """A number of axes in words."""
    return f"{count} {_NOUN['rank'][count != 1]}"


def constraint(clash: Clash, files: Files) -> Constraint:
    """The constraint of a clash."""
    operands = tuple(_operand(clash, i, side, files) for i, side in enumerate(clash.sides))
    at = location(clash.stack[-1], files) if clash.stack else None
    return Constraint(cast(Relation, clash.relation), _sentence(clash, operands), operands, at)


def location(line: tuple[str, int], files: Files) -> Location:
    """A line as a place, with its function."""
    return Location(line[0], line[1], files.function(*line))


def _operand(clash: Clash, i: int, side: Dim, files: Files) -> Operand:
    value = clash.values[i] if i < len(clash.values) else None
    shape = value.sizes if isinstance(value, Array) and value.dims is not None else None
    maker = side.origin or (value.origin if value is not None else None)
    return Operand(
        name=name(value, side, clash, i),
        shape=shape,
        axis=clash.axes[i] if i < len(clash.axes) else None,
        size=side.size,
        given_at=location(clash.stack[-1], files) if clash.stack else None,
        maker=location((maker.file, maker.line), files) if maker is not None else None,
    )


def name(value: Value | None, side: Dim, clash: Clash, i: int) -> str:
    """One side in words."""
    if isinstance(value, Layer):
        return _text(value.origin) or value.cls
    if not isinstance(value, Array):
        return "a value"
    called = f"`{value.name}`" if value.name else ""
    if clash.hint in ("labels", "sparse") and i == 0:
        return f"the labels {called}".strip()
    if value.made_by is not None and isinstance(value.made_by, Layer):
        return _text(value.made_by.origin) or value.made_by.cls
    if clash.relation == "elements" and i == 1 and side.origin is not None and side.origin.kind == "reshape":
        return "the target shape"
    # What is computed from a variable keeps its kind, and is none itself.
    made = value.origin.kind if value.origin is not None else ""
    kind = {"placeholder": "the placeholder", "variable": "the variable"}.get(made, "")
    return f"{kind} {called}".strip() or _text(side.origin) or "a value"


def _text(origin: Origin | None) -> str:
    return origin.text if origin is not None else ""


def _sentence(clash: Clash, operands: tuple[Operand, ...]) -> str:
    what = clash.what[:1].upper() + clash.what[1:]
    if clash.hint == "window":
        left, window = operands
        where = f", from {_place(left.maker)}" if left.maker is not None else ""
        axis = f"the axis that it slides over has {left.size}{where}"
        return f"{what} does not fit: its window is {window.size}, and {axis}."
    parts = []
    for i, operand in enumerate(operands):
        noun = _NOUN[clash.relation][operand.size != 1] if clash.relation in _NOUN else ""
        size = "an unknown size" if operand.size is None else str(operand.size)
        axis = f" at axis {operand.axis}" if operand.axis is not None and not noun else ""
        has = "have" if operand.name.startswith("the labels") else "has"
        verb = "wants" if clash.relation == "rank" and i == 1 and clash.hint in ("", "argument") else has
        where = f", from {_place(operand.maker)}" if operand.maker is not None else ""
        if "=" in operand.name and operand.maker is not None:
            # The source of an assignment is no name: it says where the size comes from.
            parts.append(
                f"one side {verb} {size}{f' {noun}' if noun else ''}{axis}, from `{operand.name}`, {where[7:]}"
            )
            continue
        parts.append(f"{operand.name} {verb} {size}{f' {noun}' if noun else ''}{axis}{where}")
    return f"{what} does not fit: {'; '.join(parts)}."


def _place(at: Location) -> str:
    return f"{Path(at.file).name}:{at.line}"


RAISED = "It is the line that raised."
_DOES = (
    ("size written", "It holds one of the sizes that do not fit."),
    ("size computed", "It computes one of the sizes that do not fit."),
    ("size made", "It makes one of the sizes that do not fit."),
    (RANK, "It changes the number of axes on the way to the failure."),
    ("raised", RAISED),
)
DEPENDS = "The line that failed depends on it."


def does(known: Mapping[str, float], ranks: bool) -> str | None:
    """What a line has to do with a failure, by its features; `ranks`: whether numbers of axes are what does not fit."""
    return next((said for name, said in _DOES if name in known and (ranks or name != RANK)), None)
