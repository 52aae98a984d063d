"""What is said of rows that meet rows which they do not belong to, and what to do about each kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xladoctor.model.diagnosis import Location, Remedy
from xladoctor.model.shapes import python_shape

REMEDIES: Mapping[str, Remedy] = {
    "outer": Remedy(
        "same-rank",
        "Give both operands the same rank before they are combined",
        "safe",
        "Squeeze the trailing axis of one, or give it to the other: (N, 1) with (N, 1), or (N,) with (N,).",
    ),
    "groups": Remedy(
        "same-order",
        "Put the rows of both operands in the same order",
        "safe",
        "If one side holds the parts of each row side by side, use `tf.repeat` for the other, and not `tf.tile`.",
    ),
    "torn": Remedy(
        "transpose",
        "Transpose instead of reshaping",
        "safe",
        "A reshape keeps the order of the elements. To exchange two axes, use `tf.transpose`.",
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
        "Keep the rows as an axis of the reshape, `(tf.shape(x)[0], -1)`, and put removed values back into their "
        "places.",
    ),
    "normalised": Remedy(
        "other-axis",
        "Normalise over the axis that belongs to a row",
        "safe",
        "Axis 0 is the batch. Use an axis within a row (axis=1, or axis=-1).",
    ),
    "alone": Remedy(
        "other-axis",
        "Normalise over the axis of the items",
        "changes-numerics",
        "With scores (rows, items, 1) that is axis=1: `tf.nn.softmax(scores, axis=1)`; or remove the last axis first.",
    ),
    "segments": Remedy(
        "same-order",
        "Number the segments in the order of the items",
        "safe",
        "If items lie row by row, their rows are `tf.range(n) // items`, and not `tf.range(n) % rows`.",
    ),
    "gathered": Remedy(
        "row-offset",
        "Add the offset of each row to the index",
        "safe",
        "`tf.range(rows) * items + index`, or `tf.gather(values, index, batch_dims=1)` before it is flattened.",
    ),
    "contracted": Remedy(
        "same-index",
        "Give the rows of both operands one letter",
        "safe",
        "`tf.einsum('bd,bd->b', u, v)` multiplies each row by its own; a letter that only one operand has is summed.",
    ),
    "rolled": Remedy(
        "shift-in-rows",
        "Shift before the rows are flattened",
        "safe",
        "Shift along the axis of the items, `tf.concat([x[:, 1:], x[:, -1:]], axis=1)`, and flatten after that; or "
        "mask the item at the end of each row.",
    ),
    "off-transform": Remedy(
        "shift-transformed",
        "Shift the axes that the transform goes over",
        "safe",
        "`tf.signal.fftshift(f, axes=(-2, -1))` after `fft2d`. Without axes it shifts all of them.",
    ),
    "wrapped": Remedy(
        "whole-numbers-first",
        "Wrap or clip whole numbers before the cast",
        "changes-numerics",
        "To wrap: `tf.cast(tf.cast(x, tf.int32) % 256, tf.uint8)`. To clip: `tf.saturate_cast(x, tf.uint8)`.",
    ),
    "mixed": Remedy(
        "one-draw",
        "Draw the partners once",
        "safe",
        "Make one index, `order = tf.random.shuffle(tf.range(n))`, and gather the data and the labels by it.",
    ),
    "classes": Remedy(
        "one-hot",
        "Make one-hot rows from the class numbers",
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


_WORDS: Mapping[str, tuple[str, str]] = {
    "outer": (
        "{op} of {shapes[0]} and {shapes[1]} gives {shapes[2]}, a number for every pair of rows",
        "{op} combines {names[0]} and {names[1]}. Both have one row for each row of the batch, but along different "
        "axes. So broadcasting pairs each row of one with all rows of the other, {shapes[2]} in all.",
    ),
    "groups": (
        "{op} combines rows with other rows: one operand is repeated, the other tiled",
        "{op} combines {names[0]} and {names[1]}. Both hold several items of each row of the batch, but in different "
        "orders, so items of different rows are combined.",
    ),
    "lost": (
        "{op} spreads {shapes[0]}, which has no rows left, over the rows of {shapes[1]}",
        "{op} combines {names[0]} and {names[1]}. The first has lost the axis of rows, and broadcasting gives every "
        "row the same values.",
    ),
    "fewer": (
        "{shapes[0]} in, {last} out: a result does not have one row for each row of the data",
        "{op} gives {shapes[1]}, and the result has {last} where the data have {shapes[0]}. If that is intended, set "
        "`by_row = False` as an attribute of the model.",
    ),
    "classes": (
        "{op} weights every class of {shapes[1]} by the number of one class, {shapes[0]}",
        "{op} multiplies integer targets, {shapes[0]}, by values computed from a softmax over classes, {shapes[1]}. "
        "Broadcasting then gives all classes of a row the number of its class as a weight. If the numbers are "
        "classes, only the class of the row should count.",
    ),
    "alone": (
        "{op} of {shapes[0]} is taken over an axis of one, and gives 1 for everything",
        "{op} normalises {shapes[0]} over its last axis, which has one element. So each result is the same, whatever "
        "the scores are: they have no part in what is computed, and get no gradient.",
    ),
    "wrapped": (
        "{op} of {shapes[0]} takes floats to an integer type that does not hold them",
        "On the values of the first call, at least 1 % lies outside of the type. What such a cast gives is not "
        "defined: XLA keeps to the ends of the type, and plain kernels wrap some elements around, and others not.",
    ),
    "off-transform": (
        "{op} shifts an axis of {shapes[0]} that the Fourier transform does not go over",
        "{op} moves {shapes[0]} by half of an axis, as `fftshift` does, and the transform beside it does not go over "
        "that axis. So it exchanges rows of the batch, or channels, and the frequencies of one stand where those of "
        "another are expected.",
    ),
    "torn": (
        "{op} of {shapes[0]} to {last} tears the rows of the batch apart",
        "{op} takes {shapes[0]} to {last}: no axis belongs to the rows any more, and the values at one index come "
        "from several rows.",
    ),
    "segments": (
        "{op} puts items of several rows into one segment, as many segments as rows",
        "{op} sums {shapes[0]} in as many segments as there are rows. The items of each row lie side by side, but "
        "the segment numbers have another order, so each segment holds items of several rows.",
    ),
    "gathered": (
        "{op} takes from the first row of the batch for all rows",
        "{op} takes items from {shapes[0]}, in which the items of all rows lie one after another. Its indices are "
        "all in the first row, because the offset of each row is missing.",
    ),
    "contracted": (
        "{op} of {shapes[0]} and {shapes[1]} sums over all rows of one operand for each row of the other",
        "{op} keeps the rows of {names[0]} and sums over those of {names[1]}. So the result for a row comes from all "
        "rows of the batch, and not from its own alone.",
    ),
    "rolled": (
        "{op} of {shapes[0]} takes the first item of another row for the last item of each row",
        "{op} moves the items of {shapes[0]} over the ends of the rows. The result is then combined with {names[1]}, "
        "so two different rows are combined at each end.",
    ),
    "mixed": (
        "{op} mixes {shapes[0]} with other partners than {shapes[1]}, by the same weight",
        "Two tensors of the batch, {names[0]} and {names[1]}, are mixed by one weight, but with partners of two "
        "different draws. So a mixed row gets the label of a row that is not in it.",
    ),
    "normalised": (
        "{op} of {shapes[0]} is taken over the rows of the batch",
        "{op} of {shapes[0]} divides by a sum over the rows of the batch, so the result for a row depends on the "
        "other rows of its batch. Another axis would normalise each row by itself.",
    ),
}
"""Title and first sentences of each kind: of its op, the shapes with which rows meet, and their names."""


def words(kind: str, told: Mapping[str, Any]) -> tuple[str, str]:
    """(title, first sentences)."""
    op, shapes = told["op"], [python_shape(s) for s in told.get("shapes") or ()]
    if kind == "exchanged":
        return _exchanged(op, shapes[0], shapes[-1], len(told["shapes"][0]))
    names = [f"{s} ({p})" for s, p in zip(shapes, told.get("parts") or (), strict=False)]
    title, first = _WORDS.get(kind, _WORDS["torn"])
    known = {"op": op, "shapes": shapes, "names": names, "last": shapes[-1] if shapes else ""}
    return title.format(**known), first.format(**known)


def _exchanged(op: str, before: str, after: str, axes: int) -> tuple[str, str]:
    now = (
        "axis 1 now has the size that axis 2 had, but no element moved. One item of the result holds parts of "
        "several items, as when attention heads are joined without a transpose."
        if axes > 3
        else "the size of the middle axis is now that of the last one, but no element moved. One row of the result "
        "holds values of different items of the last axis."
    )
    title = f"{op} of {before} to {after} exchanges two axes and moves no element"
    return title, f"{op} takes {before} to {after}: {now}"


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
