"""What is said of rows that meet rows which they do not belong to, and what to do about each kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xladoctor.model.diagnosis import Location, Remedy
from xladoctor.model.shapes import python_shape

_OF_OTHERS = ("segments", "gathered", "contracted", "rolled", "mixed", "normalised")
REMEDIES: Mapping[str, Remedy] = {
    "outer": Remedy(
        "same-rank",
        "Bring both operands to one rank before they meet",
        "safe",
        "Squeeze the trailing axis of one, or give it to the other: (N, 1) with (N, 1), or (N,) with (N,).",
    ),
    "groups": Remedy(
        "same-order",
        "Lay the rows of both operands out in one order",
        "safe",
        "Where one side holds the parts of each row side by side, `tf.repeat` the other, and do not `tf.tile` it.",
    ),
    "torn": Remedy(
        "transpose",
        "Transpose instead of reshaping",
        "safe",
        "A reshape keeps the order of the elements: to exchange two axes takes `tf.transpose`.",
    ),
    "exchanged": Remedy(
        "transpose",
        "Transpose before the reshape",
        "safe",
        "A reshape keeps the order of the elements. Move the axis first: `tf.transpose(x, [0, 2, 1])`, with four axes "
        "`[0, 2, 1, 3]`.",
    ),
    "fewer": Remedy(
        "keep-rows",
        "Keep the axis of rows",
        "safe",
        "Let a reshape name the rows, `(tf.shape(x)[0], -1)`, and put what was taken out back into its place.",
    ),
    "normalised": Remedy(
        "other-axis",
        "Normalise over the axis that belongs to a row",
        "safe",
        "Axis 0 is that of the batch: give the axis of what a row consists of (axis=1, or axis=-1).",
    ),
    "segments": Remedy(
        "same-order",
        "Number the segments in the order of the items",
        "safe",
        "Items that lie row by row belong to row `tf.range(n) // items`, and not to `tf.range(n) % rows`.",
    ),
    "gathered": Remedy(
        "row-offset",
        "Add the offset of each row to the index",
        "safe",
        "`tf.range(rows) * items + index`, or `tf.gather(values, index, batch_dims=1)` before it is laid out flat.",
    ),
    "contracted": Remedy(
        "same-index",
        "Give the rows of both operands one letter",
        "safe",
        "`tf.einsum('bd,bd->b', u, v)` multiplies each row by its own; a letter that only one operand has is summed.",
    ),
    "rolled": Remedy(
        "shift-in-rows",
        "Shift before the rows are laid out flat",
        "safe",
        "Shift along the axis of the items, `tf.concat([x[:, 1:], x[:, -1:]], axis=1)`, and lay them out after it; or "
        "mask the item at the end of each row.",
    ),
    "mixed": Remedy(
        "one-draw",
        "Draw the partners once",
        "safe",
        "Make one index, `order = tf.random.shuffle(tf.range(n))`, and gather the data and the labels by it.",
    ),
    "classes": Remedy(
        "one-hot",
        "Make one-hot rows of the class numbers",
        "safe",
        "`tf.one_hot(tf.cast(y[:, 0], tf.int32), classes)`, or take the probability of the row's own class with "
        "`tf.gather(p, y[:, 0], batch_dims=1)`.",
    ),
    "lost": Remedy(
        "keep-rows",
        "Keep the axis of rows",
        "safe",
        "Reduce over the axes of features or of time, and leave axis 0 as it is.",
    ),
}


def words(kind: str, told: Mapping[str, Any]) -> tuple[str, str]:
    """(title, first sentences)."""
    op, shapes = told["op"], [python_shape(s) for s in told.get("shapes") or ()]
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
    if kind in _OF_OTHERS:
        return _of_other_rows(kind, str(op), shapes, names)
    if kind == "fewer":
        title = f"{shapes[0]} in, {shapes[-1]} out: a result has not a row for each row of the data"
        return title, (
            f"{op} gives {shapes[1]}, and the result has {shapes[-1]} where the data have {shapes[0]}. A model may be "
            "meant to do so; then `by_row = False`, as an attribute of the model, says it."
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


def _of_other_rows(kind: str, op: str, shapes: Sequence[str], names: Sequence[str]) -> tuple[str, str]:
    """(title, first sentences) of what takes from other rows than its own."""
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
    if kind == "contracted":
        return f"{op} of {shapes[0]} and {shapes[1]} sums over all rows of one operand for each row of the other", (
            f"{op} keeps the rows of {names[0]} and sums over those of {names[1]}: what comes out for a row is made of "
            "all rows of the batch, and not of its own alone."
        )
    if kind == "rolled":
        return f"{op} of {shapes[0]} takes the first item of another row for the last item of each row", (
            f"{op} moves the items of {shapes[0]}, in which those of each row lie side by side, over the ends of the "
            f"rows. What it gives meets {names[1]} at its old place: at each end two different rows."
        )
    if kind == "mixed":
        return f"{op} mixes {shapes[0]} with other partners than {shapes[1]}, by the same weight", (
            f"Two tensors of the batch, {names[0]} and {names[1]}, are mixed with partners of two different draws, and "
            "with one weight: a mixed row gets the label of a row that is not in it."
        )
    return f"{op} of {shapes[0]} is taken over the rows of the batch", (
        f"{op} of {shapes[0]} divides by a sum over the rows of the batch: what comes out for a row depends on the "
        "other rows of its batch. It has another axis, over which a row would be normalised by itself."
    )


def made_by(kind: str, made: Mapping[str, Any], at: Location | None) -> str:
    """A sentence on the op that gave an operand its shape or order."""
    what = {"lost": "The rows are lost in", "groups": "The order comes from", "outer": "The axis comes from"}
    return f"{what.get(kind, 'It comes from')} {made.get('op')} ({made.get('node')}){f', {at}' if at else ''}."


def proof(told: Mapping[str, Any]) -> str:
    """The op, its shapes and the rows that a worker changed."""
    shapes = " and ".join(python_shape(s) for s in (told.get("shapes") or ())[:2])
    text = f"{told['op']} ({told.get('node')}) of {shapes}"
    examples: Sequence[Any] = told.get("examples") or ()
    apart = [f"row {a[0]} with row {b[0]}" for a, b in examples if a and b]
    return text + (f"; when single rows were changed, it combined {', '.join(apart)}" if apart else "")
