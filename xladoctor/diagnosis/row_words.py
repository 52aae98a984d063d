"""Rows that meet other rows, in words: what an op did with them, and what shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xladoctor.model.diagnosis import Location


def words(kind: str, told: Mapping[str, Any]) -> tuple[str, str]:
    """(title, first sentences) of what a worker found."""
    op, shapes = told["op"], [shape_words(s) for s in told.get("shapes") or ()]
    parts = told.get("parts") or ()
    names = [f"{s} ({p})" for s, p in zip(shapes, parts, strict=False)]
    if kind == "outer":
        title = f"{op} of {shapes[0]} and {shapes[1]} gives {shapes[2]}, a number for every pair of rows"
        return title, (
            f"{op} puts {names[0]} beside {names[1]}. Both have a row for each row of the batch, but along different "
            f"axes: broadcasting pairs each row of one with all rows of the other, {shapes[2]} in all."
        )
    if kind == "groups":
        title = f"{op} puts rows beside other rows than their own: one operand is repeated, the other tiled"
        return title, (
            f"{op} combines {names[0]} and {names[1]}. Both hold several items of each row of the batch, in different "
            "orders, so that items of different rows meet."
        )
    if kind == "lost":
        title = f"{op} spreads {shapes[0]}, which has no rows left, over the rows of {shapes[1]}"
        return title, (
            f"{op} puts {names[0]} beside {names[1]}. The first has lost the axis of rows, and broadcasting gives "
            "every row the same."
        )
    if kind == "normalised":
        return f"{op} of {shapes[0]} is taken over the rows of the batch", (
            f"{op} of {shapes[0]} divides by a sum over the rows of the batch: what comes out for a row depends on the "
            "other rows of its batch. It has another axis, over which a row would be normalised by itself."
        )
    if kind == "fewer":
        title = f"{shapes[0]} in, {shapes[-1]} out: a result has not a row for each row of the data"
        return title, (
            f"{op} gives {shapes[1]}, and the result has {shapes[-1]} where the data have {shapes[0]}. A model may be "
            "meant to do so; then `by_row = False`, as an attribute of the model, says it."
        )
    if kind == "segments":
        return f"{op} puts items of several rows into one segment, as many segments as rows", (
            f"{op} sums up {shapes[0]}, in which the items of each row lie side by side, in as many segments as there "
            "are rows; but the numbers of the segments are in another order, so that each holds items of several rows."
        )
    if kind == "gathered":
        return f"{op} takes from the first row of the batch for all rows", (
            f"{op} takes from {shapes[0]}, in which the items of all rows lie one after the other, and its numbers all "
            "lie among those of the first row: the offset of each row is not in them."
        )
    if kind == "classes":
        return f"{op} weighs every class of {shapes[1]} with the number of one class, {shapes[0]}", (
            f"{op} multiplies targets of whole numbers, {shapes[0]}, by what is computed of a softmax over classes, "
            f"{shapes[1]}: broadcasting gives all classes of a row the number of its class as a weight. If the numbers "
            "name classes, only the row's own class should count."
        )
    if kind == "exchanged":
        return _exchanged(op, shapes[0], shapes[-1], len(told["shapes"][0]))
    return f"{op} of {shapes[0]} to {shapes[-1]} tears the rows of the batch apart", (
        f"{op} takes {shapes[0]} to {shapes[-1]}: no axis belongs to the rows any more, and what lies at one index "
        "comes from several rows."
    )


def _exchanged(op: str, before: str, after: str, axes: int) -> tuple[str, str]:
    now = (
        "axis 1 now has the size that axis 2 had, but no element was moved. One item of the result holds parts of "
        "several, as when attention heads are joined without a transpose."
        if axes > 3
        else "the size of the middle axis is now that of the last one, but no element was moved. What one row of the "
        "result holds belongs to different items of the last axis."
    )
    title = f"{op} of {before} to {after} exchanges two axes and moves no element"
    return title, f"{op} takes {before} to {after}: {now}"


def made_by(kind: str, made: Mapping[str, Any], at: Location | None) -> str:
    """Which op made what went wrong, as a sentence."""
    what = {"lost": "The rows are lost in", "groups": "The order comes from", "outer": "The axis comes from"}
    return f"{what.get(kind, 'It comes from')} {made.get('op')} ({made.get('node')}){f', {at}' if at else ''}."


def proof(told: Mapping[str, Any]) -> str:
    """The op, its shapes and the rows that a worker changed."""
    shapes = " and ".join(shape_words(s) for s in (told.get("shapes") or ())[:2])
    text = f"{told['op']} ({told.get('node')}) of {shapes}"
    examples: Sequence[Any] = told.get("examples") or ()
    apart = [f"row {a[0]} with row {b[0]}" for a, b in examples if a and b]
    return text + (f"; when single rows were changed, it combined {', '.join(apart)}" if apart else "")


def shape_words(shape: Any) -> str:
    """A shape as Python prints it; `?` where it is not known."""
    if shape is None:
        return "?"
    inside = ", ".join(map(str, shape))
    return f"({inside},)" if len(shape) == 1 else f"({inside})"
