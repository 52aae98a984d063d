"""Rows that a Keras call got and that its numbers show to be made wrong: what the recorder computed of them.

The recorder knows the call; the source says which line before it made the rows so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache

from xladoctor.diagnosis.own_source import program_of
from xladoctor.diagnosis.row_findings import Kind, row_findings
from xladoctor.diagnosis.splits import SPLIT_BEFORE
from xladoctor.model.diagnosis import Finding, Location, Remedy
from xladoctor.recording.run import Event, Recording, location
from xladoctor.rules.slips import FILL
from xladoctor.sources import made_by
from xladoctor.sources.backward import Backward
from xladoctor.sources.loops import trains
from xladoctor.sources.made_by import COUNTED, DEALT, DRAWN_AGAIN, STATISTIC, Maker


def given_rows(recording: Recording) -> Iterator[Finding]:
    """A warning for each line that made such rows."""

    @cache
    def back() -> Backward:
        return Backward(program_of(recording))

    def trained_on(event: Event) -> bool:
        at = location(event.get("used")) if event.get("loop") and event["what"] in _OF_TESTS else None
        tree = back().tree(at.file) if at is not None else None
        return tree is not None and at is not None and bool(at.line) and trains(tree, at.line or 0)

    yield from row_findings(recording, _KINDS, lambda event, kind: _made(event, kind, back), trained_on)


def _made(event: Event, kind: Kind, back: Callable[[], Backward]) -> tuple[Location | None, str]:
    """The statement that made the rows, before the call that got them."""
    used, at = location(event.get("used")), None
    if kind.maker is not None and used is not None:
        at = made_by.line_of_rows(back(), used.file, used.line, _what(event), kind.maker)
    at = at or made_by.line_of_layer(back(), kind.layer)
    if at is None and event.get("activation"):
        at = made_by.line_of_last_layer(back(), event["cls"], event.get("units"), event["activation"])
    made = Location(at[0], at[1], None) if at is not None else used
    besides = f" The call is at {used}." if made is not None and used is not None and used.line and made != used else ""
    return (replace(made, function=used.function) if made and used and made.line == used.line else made), besides


def _what(event: Event) -> str:
    """The name that the rows have, or which argument they are; of a loop, what it goes through."""
    return str((None if event.get("loop") else event.get("name")) or event.get("argument"))


def _whose(event: Event) -> str:
    """Whose rows they are: of a model, or what the program calls them."""
    return str(event.get("model") or event.get("name"))


def _own_scale(event: Event) -> tuple[str, str]:
    rows, training = event["rows"]
    return (
        f"{rows} rows for {_whose(event)} are scaled by their own statistics, and not by those of the training",
        f"The columns of the {training} training rows have exactly a mean of 0 and a deviation of 1, or go from 0 to "
        f"1, and so have those of these {rows} other rows. So each was scaled by its own numbers, and the same value "
        "means something else to the model.",
    )


def _whole_scale(event: Event) -> tuple[str, str]:
    training, whole = event["rows"]
    return (
        f"The rows for {_whose(event)} were scaled by statistics of the {whole - training} rows that test it, too",
        f"Only all {whole} rows together have exactly a mean of 0 and a deviation of 1, or go from 0 to 1: the "
        f"{training} training rows alone do not. So the statistics were taken before the split, and the training rows "
        "know something of the others.",
    )


def _row_scale(event: Event) -> tuple[str, str]:
    rows, width = event["rows"]
    return (
        f"Each of the {rows} rows for {_whose(event)} is scaled by its own {width} numbers",
        f"Each row has a mean of 0 and a deviation of 1, but each of its {width} columns keeps to numbers of its own, "
        "as different quantities do. Statistics of the columns, over axis 0, would make these comparable; over the "
        "other axis the largest quantity hides the others.",
    )


def _windows(event: Event) -> tuple[str, str]:
    shared, rows = event["rows"]
    return (
        f"{shared} of {rows} windows that test {_whose(event)} lie within training windows",
        f"The first and the last steps of {shared} of {rows} rows stand in training rows, at other places: all are "
        "windows of one series, dealt out at random. What is measured on them says little of steps that the model has "
        "not seen.",
    )


def _trained_on(event: Event) -> tuple[str, str]:
    shared, rows = event["rows"]
    return (
        f"{_whose(event)} is tested on rows that it was trained on: {shared} of {rows}",
        f"{shared} of the {rows} rows are, number for number, rows of the training. What is measured on them says "
        "nothing of rows that the model has not seen.",
    )


def _out_of_reach(event: Event) -> tuple[str, str]:
    outside, of = event["rows"]
    return (
        f"{outside} of {of} labels for {_whose(event)} are numbers that `{event['activation']}` cannot give",
        f"`{event['layer']}`, the last layer, ends with `{event['activation']}`, and the loss is the distance to "
        "labels of which these lie beyond its ends. No training brings the model nearer than to the end, and where a "
        "unit is at its end it gets hardly a gradient.",
    )


def _foretold(event: Event) -> tuple[str, str]:
    known, rows = event["rows"]
    return (
        f"{known} of {rows} labels that test {_whose(event)} stand in training rows",
        f"{known} of {rows} test labels are, number for number, among the features of training rows: those of later "
        "rows have the values of earlier ones. The rows are a series, and were dealt out at random, so that the "
        "training has seen what it is tested on.",
    )


def _unwritten(event: Event) -> tuple[str, str]:
    rest, rows = event["rows"]
    name = "rows" if event.get("argument") == "x" else "labels"
    return (
        f"The last {rest} of {rows} {name} for {_whose(event)} are zeros",
        f"The last {rest} of {rows} {name} are all zeros, and no other one is. The array was made as zeros, and what "
        "filled it did not come to its end.",
    )


def _shifted(event: Event) -> tuple[str, str]:
    by, rows = event["rows"]
    other = "later" if by > 0 else "earlier"
    return (
        f"The labels for {_whose(event)} follow from the rows {abs(by)} {other}, and not from their own",
        f"Of {rows} rows, the labels follow from the row {abs(by)} {other} than their own, by a straight line, and "
        "hardly from their own row. One of both was cut or shifted alone.",
    )


def _reversed(event: Event) -> tuple[str, str]:
    rows = event["rows"][1]
    return (
        f"The labels for {_whose(event)} follow from the rows in reverse, and not from their own",
        f"Of {rows} rows, the labels follow by a straight line from the rows counted from the end. One of both was put "
        "into reverse order alone.",
    )


def _ordered(event: Event) -> tuple[str, str]:
    rows = event["rows"][1]
    return (
        f"The {rows} labels for {_whose(event)} are sorted, and their rows are not",
        f"The {rows} labels rise, or fall, from the first to the last, and the rows do not change with them, nor from "
        "one to the next. So the labels were sorted alone.",
    )


def _rescaled(event: Event) -> tuple[str, str]:
    return (
        f"The rows for {_whose(event)} are scaled twice: before the model, and by its `Rescaling`",
        f"The {event['rows'][0]} rows go from -1 or 0 to 1, and a `Rescaling` layer of the model divides them again, "
        "as if they were bytes. What follows gets numbers near 0.",
    )


def _unadapted(event: Event) -> tuple[str, str]:
    return (
        f"A `Normalization` of {_whose(event)} normalises nothing: it was never adapted",
        "Its mean is 0 and its variance 1 when the training begins. Without `adapt`, or a mean and a variance, it "
        "returns what it gets.",
    )


def _norm_axis(event: Event) -> tuple[str, str]:
    return (
        f"A batch normalisation of {_whose(event)} is over axis 1, and the channels are the last axis",
        "All convolutions of the model have their channels last. A `BatchNormalization(axis=1)` right after one has a "
        "mean and a scale for each line of the image, or each step, and not for each channel.",
    )


def _other_scale(event: Event) -> tuple[str, str]:
    rows = event["rows"][0]
    factor = float(event.get("factor") or 1.0)
    how = f"{factor:.3g} times as large as" if factor > 1 else f"{1 / factor:.3g} times smaller than"
    return (
        f"The {rows} rows for {_whose(event)} are {how} those of its training",
        f"In each column the numbers spread {how} in the training rows. So these rows were not scaled, or scaled "
        "otherwise, and the model has seen nothing like them.",
    )


def _target(event: Event) -> tuple[str, str]:
    column, rows = event["rows"]
    return (
        f"Column {column} of the rows for {_whose(event)} is the target itself",
        f"In all {rows} rows, column {column} is the label, or the label scaled and shifted. The model has only to "
        "copy it.",
    )


def _in_window(event: Event) -> tuple[str, str]:
    step, steps = event["rows"]
    return (
        f"Each target for {_whose(event)} is step {step + 1} of the {steps} steps of its own window",
        f"The target of a window is the number that stands at step {step + 1} of {steps} in it, or that number scaled "
        "and shifted: the model has only to copy it. A target to be forecast comes after the last step of its window.",
    )


def _by_count(event: Event) -> tuple[str, str]:
    most, least = event["rows"]
    return (
        f"The weights of the classes of {_whose(event)} are as their numbers of rows",
        f"The weight of each class is its number of rows, times one number: the class with {most} rows counts "
        f"{most / least:.3g} times as much for each row as the one with {least}, on top of having more rows. Weights "
        "that balance classes are the inverse of their numbers.",
    )


def _dealt_weights(event: Event) -> tuple[str, str]:
    heaviest, least = event["rows"]
    return (
        f"The weights of the classes of {_whose(event)} are those of other classes",
        "Sorted, the weights are the inverse of the numbers of rows, or of their roots, but the classes have them in "
        f"another order: the largest weight is that of a class with {heaviest} rows, and the smallest class has "
        f"{least}. The numbers were counted in one order and given to the classes in another.",
    )


def _no_class(event: Event) -> tuple[str, str]:
    odd, classes = event["rows"]
    return (
        f"`class_weight` of {_whose(event)} names {odd} classes that no row has",
        f"Some of the {classes} classes of the rows have no weight, and {odd} weights are for numbers that no row has: "
        "they have no effect. Keras takes 1 for a class without a weight.",
    )


def _multiplied(event: Event) -> tuple[str, str]:
    after, before = event["rows"]
    return (
        f"The merge gives {after} rows of {before}: a key is there more than once on both sides",
        f"The merged table has {after} rows, and both tables have fewer. Rows whose key the other table has several "
        "times come several times, and count as often in whatever is computed afterwards.",
    )


def _relabelled(event: Event) -> tuple[str, str]:
    moved, rows = event["rows"]
    return (
        f"{moved} of {rows} rows get the value of another row, or none: the column is joined by its labels",
        f"pandas joins a Series to a table by the labels of their rows. The Series is labelled from 0 on, the {rows} "
        "rows of the table are not: it was sorted, or rows were left out.",
    )


_OF_TESTS = frozenset({"own-scale", "whole-scale", "other-scale", "trained-on", "windows", "foretold"})
"""What is wrong of rows that are not trained on."""
_KINDS: Mapping[str, Kind] = {
    "out-of-reach": Kind(
        "loss-input-mismatch", _out_of_reach,
        Remedy("linear-output", "Leave the activation of the last layer out", "changes-numerics",
               "`Dense(n)`; or scale the labels to what the activation gives."),
    ),
    "trained-on": Kind("unsound-split", _trained_on, SPLIT_BEFORE, DRAWN_AGAIN),
    "own-scale": Kind(
        "unlike-training", _own_scale,
        Remedy("scale-as-trained", "Scale all rows by the statistics of the training rows", "changes-numerics",
               "`mean, std = x_train.mean(0), x_train.std(0)` once, then `(x - mean) / std` for each part; with a "
               "scaler `fit` once, and `transform` for the others."),
        STATISTIC,
    ),
    "whole-scale": Kind(
        "unsound-split", _whole_scale,
        Remedy("split-then-scale", "Split first, and take statistics of the training rows", "changes-numerics",
               "`mean, std = x[train].mean(0), x[train].std(0)` after the split, for all parts."),
        STATISTIC,
    ),
    "row-scale": Kind(
        "unlike-training", _row_scale,
        Remedy("statistics-of-columns", "Take the statistics over the rows", "changes-numerics",
               "`x.mean(axis=0)` and `x.std(axis=0)` of (rows, columns) have a number for each column."),
        replace(STATISTIC, of_arrays=False, needs=("axis=1", "axis=2", "axis=-1", "(1", "(2", "(-1")),
    ),
    "rescaled": Kind(
        "unlike-training", _rescaled,
        Remedy("scale-once", "Scale once: before the model, or in it", "changes-numerics",
               "Give the model the bytes as floats, or leave out its `Rescaling`."),
        layer="Rescaling",
    ),
    "unadapted": Kind(
        "dead-switch", _unadapted,
        Remedy("adapt-first", "Adapt the layer to the training rows before the `fit`", "changes-numerics",
               "`layer.adapt(x_train)`, or `Normalization(mean=..., variance=...)`."),
        layer="Normalization",
    ),
    "by-count": Kind(
        "dead-switch", _by_count,
        Remedy("weights-inverse", "Weigh each class by the inverse of its rows", "changes-numerics",
               "`{c: len(y) / (classes * n) for c, n in enumerate(np.bincount(y))}`."),
        COUNTED,
    ),
    "dealt": Kind(
        "wrong-pairing", _dealt_weights,
        Remedy("weights-by-class", "Count the rows in the order of the class numbers", "changes-numerics",
               "`np.bincount(y)`, or `value_counts().sort_index()`: their order is that of the classes."),
        COUNTED,
    ),
    "no-class": Kind(
        "dead-switch", _no_class,
        Remedy("weights-of-labels", "Use the numbers that stand in the labels", "changes-numerics",
               "`{0: 1.0, 1: 5.0}` for labels 0 and 1."),
    ),
    "norm-axis": Kind(
        "wrong-pairing", _norm_axis,
        Remedy("channels-axis", "Normalise over the channels", "changes-numerics", "`BatchNormalization(axis=-1)`."),
        layer="BatchNormalization",
    ),
    "other-scale": Kind(
        "unlike-training", _other_scale,
        Remedy("scale-all", "Scale all rows as those of the training", "changes-numerics",
               "One function that makes rows for `fit`, `evaluate` and `predict`."),
    ),
    "windows": Kind(
        "unsound-split", _windows,
        Remedy("cut-by-time", "Cut the series before the windows", "changes-numerics",
               "`series[:cut]` and `series[cut:]` first, then windows of each; or the first windows for the training "
               "and the last ones, a window's length later, for the test."),
        DEALT,
    ),
    "foretold": Kind(
        "unsound-split", _foretold,
        Remedy("split-by-time", "Test on later rows than those of the training", "changes-numerics",
               "`x[:cut]` and `x[cut:]`; with scikit-learn `shuffle=False`, or `TimeSeriesSplit`."),
        DEALT,
    ),
    "unwritten": Kind(
        "wrong-shape-silent", _unwritten,
        FILL,
        Maker(frozenset({"zeros", "zeros_like", "empty", "full"}), of_arrays=False, loops=True),
    ),
    "shifted": Kind(
        "wrong-pairing", _shifted,
        Remedy("cut-both", "Cut rows and labels at the same places", "safe",
               "`x[k:]` belongs to `y[k:]`; of a forecast by k steps `x[:-k]` to `y[k:]`."),
        Maker(frozenset({"roll", "shift", "diff"}), of_arrays=False, shifts=True),
    ),
    "reversed": Kind(
        "wrong-pairing", _reversed,
        Remedy("one-direction", "Put rows and labels into one direction", "safe",
               "`x[::-1]` and `y[::-1]`, or neither."),
        Maker(frozenset({"flip", "flipud", "reversed", "reverse", "sort", "sorted", "sort_values"}), of_arrays=False),
    ),
    "ordered": Kind(
        "wrong-pairing", _ordered,
        Remedy("sort-together", "Sort rows and labels by one order", "safe",
               "`order = np.argsort(y)`, then `x[order]` and `y[order]`."),
        Maker(frozenset({"sort", "sorted", "unique", "sort_values", "searchsorted", "set"}), of_arrays=False),
    ),
    "multiplied": Kind(
        "wrong-shape-silent", _multiplied,
        Remedy("one-row-a-key", "Have each key once in one of the tables", "changes-numerics",
               "`right.drop_duplicates(key)` before the merge; `validate=\"many_to_one\"` raises where a key is "
               "repeated."),
    ),
    "relabelled": Kind(
        "wrong-pairing", _relabelled,
        Remedy("by-place", "Assign by place, or label alike", "changes-numerics",
               "`table[name] = values` with an array, or `pd.Series(values, index=table.index)`."),
    ),
    "in-window": Kind(
        "wrong-pairing", _in_window,
        Remedy("target-after-window", "Move the targets behind their windows", "changes-numerics",
               "`timeseries_dataset_from_array(data[:-n], targets[n:], sequence_length=n)` pairs each window with the "
               "value after it."),
    ),
    "target": Kind(
        "unsound-split", _target,
        Remedy("drop-target", "Leave the target out of the rows", "changes-numerics",
               "Drop the column of the target, and columns computed from it alone, before the rows are made."),
        Maker(frozenset({"concatenate", "column_stack", "hstack", "stack", "concat", "c_", "to_numpy", "drop"}),
              of_arrays=False),
    ),
}  # fmt: skip
