"""Rows that a Keras call got and that its numbers show to be made wrong: what the recorder computed of them.

The recorder knows the call; the source says which line before it made the rows so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache

from xladoctor.diagnosis import given_row_words as words
from xladoctor.diagnosis.own_source import program_of
from xladoctor.diagnosis.row_findings import Kind, row_findings
from xladoctor.diagnosis.splits import SPLIT_BEFORE
from xladoctor.model.diagnosis import Finding, Location, Remedy
from xladoctor.recording.run import Event, Recording, location
from xladoctor.rules.slips import FILL
from xladoctor.sources import made_by
from xladoctor.sources.backward import Backward
from xladoctor.sources.loops import MEANT, MIXED, trains
from xladoctor.sources.made_by import COUNTED, DEALT, DRAWN_AGAIN, STATISTIC, WHOLE_SPREAD, Maker
from xladoctor.sources.names import names_in
from xladoctor.sources.order import scope_at
from xladoctor.sources.window_targets import line_within


def given_rows(recording: Recording) -> Iterator[Finding]:
    """A warning for each line that made such rows."""

    @cache
    def back() -> Backward:
        return Backward(program_of(recording))

    def is_meant(event: Event) -> bool:
        if event["what"] == "other-pairs":
            return _control(event, back())
        if event["what"] == "uneven":
            made, used = _made(event, _KINDS["uneven"], back)[0], location(event.get("used"))
            return made is None or used is None or (made.file, made.line) == (used.file, used.line)
        loop = event.get("loop") and not event.get("at")
        at = location(event.get("used")) if loop and event["what"] in _OF_TESTS else None
        tree = back().tree(at.file) if at is not None else None
        return tree is not None and at is not None and bool(at.line) and trains(tree, at.line or 0)

    yield from row_findings(recording, _KINDS, lambda event, kind: _made(event, kind, back), is_meant)


def _control(event: Event, back: Backward) -> bool:
    """Whether labels of other rows are there to be compared with the right ones."""
    used = location(event.get("used"))
    tree = back.tree(used.file) if used is not None else None
    scope = scope_at(tree, used.line) if tree is not None and used is not None and used.line else None
    statements = list(getattr(scope, "body", ())) if scope is not tree else []
    names = {n for s in statements for n in names_in(s)} if statements else set[str]()
    text = " ".join([getattr(scope, "name", ""), *names, *(str(n) for n in event.get("names") or ())]).lower()
    # Labels alone in another order may be a control, and be called so; rows are mixed in any training.
    return any(word in text for word in MEANT if event.get("argument") == "y" or word not in MIXED)


def _made(event: Event, kind: Kind, back: Callable[[], Backward]) -> tuple[Location | None, str]:
    """The statement that made the rows, before the call that got them."""
    used, at = location(event.get("used")), None
    if kind.maker is not None and used is not None:
        at = made_by.line_of_rows(back(), used.file, used.line, _what(event), kind.maker, _step(event))
    if event["what"] == "in-window":
        at = line_within(back().trees) or at
    if event["what"] == "other-pairs" and at is None:
        at = made_by.line_of_second_draw(back())
    at = at or made_by.line_of_layer(back(), kind.layer)
    if at is None and event.get("activation"):
        at = made_by.line_of_last_layer(back(), event["cls"], event.get("units"), event["activation"])
    made = Location(at[0], at[1], None) if at is not None else used
    besides = f" The call is at {used}." if made is not None and used is not None and used.line and made != used else ""
    return (replace(made, function=used.function) if made and used and made.line == used.line else made), besides


def _what(event: Event) -> str:
    """The name that the rows have, or which argument they are; of a loop, what it goes through."""
    return str((None if event.get("loop") else event.get("name")) or event.get("argument"))


def _step(event: Event) -> tuple[str, int] | None:
    """The function of the program that got the rows, and the place of the argument."""
    at = event.get("at")
    return (str(event.get("step")), at[event.get("argument") == "y"]) if at else None


_OF_TESTS = frozenset({"own-scale", "whole-scale", "other-scale", "elsewhere", "trained-on", "windows", "foretold"})
"""What is wrong of rows that are not trained on."""
_OF_COLUMNS = Remedy(
    "statistics-of-columns", "Take the statistics over the rows", "changes-numerics",
    "`x.mean(axis=0)` and `x.std(axis=0)` of (rows, columns) have a number for each column.",
)  # fmt: skip
_ALONG = replace(STATISTIC, of_arrays=False, needs=("axis=1", "axis=2", "axis=-1", "(1", "(2", "(-1"))
_KINDS: Mapping[str, Kind] = {
    "out-of-reach": Kind(
        "loss-input-mismatch", words.out_of_reach,
        Remedy("linear-output", "Leave the activation of the last layer out", "changes-numerics",
               "`Dense(n)`; or scale the labels to what the activation gives."),
    ),
    "trained-on": Kind("unsound-split", words.trained_on, SPLIT_BEFORE, DRAWN_AGAIN),
    "own-scale": Kind(
        "unlike-training", words.own_scale,
        Remedy("scale-as-trained", "Scale all rows by the statistics of the training rows", "changes-numerics",
               "`mean, std = x_train.mean(0), x_train.std(0)` once, then `(x - mean) / std` for each part; with a "
               "scaler `fit` once, and `transform` for the others."),
        STATISTIC,
    ),
    "whole-scale": Kind(
        "unsound-split", words.whole_scale,
        Remedy("split-then-scale", "Split first, and take statistics of the training rows", "changes-numerics",
               "`mean, std = x[train].mean(0), x[train].std(0)` after the split, for all parts."),
        STATISTIC,
    ),
    "row-scale": Kind("unlike-training", words.row_scale, _OF_COLUMNS, _ALONG),
    "step-scale": Kind("unlike-training", words.step_scale, _OF_COLUMNS, STATISTIC),
    "one-scale": Kind("unlike-training", words.one_scale, _OF_COLUMNS, STATISTIC),
    "uneven": Kind("unlike-training", words.uneven, _OF_COLUMNS, WHOLE_SPREAD),
    "apart-axis": Kind(
        "unlike-training", words.apart_axis,
        Remedy("columns-axis", "Normalise each column of the last axis", "changes-numerics",
               "`Normalization(axis=-1)`."),
        layer="Normalization",
    ),
    "rescaled": Kind(
        "unlike-training", words.rescaled,
        Remedy("scale-once", "Scale once: before the model, or in it", "changes-numerics",
               "Give the model the bytes as floats, or leave out its `Rescaling`."),
        layer="Rescaling",
    ),
    "unadapted": Kind(
        "dead-switch", words.unadapted,
        Remedy("adapt-first", "Adapt the layer to the training rows before the `fit`", "changes-numerics",
               "`layer.adapt(x_train)`, or `Normalization(mean=..., variance=...)`."),
        layer="Normalization",
    ),
    "by-count": Kind(
        "dead-switch", words.by_count,
        Remedy("weights-inverse", "Weigh each class by the inverse of its rows", "changes-numerics",
               "`{c: len(y) / (classes * n) for c, n in enumerate(np.bincount(y))}`."),
        COUNTED,
    ),
    "dealt": Kind(
        "wrong-pairing", words.dealt_weights,
        Remedy("weights-by-class", "Count the rows in the order of the class numbers", "changes-numerics",
               "`np.bincount(y)`, or `value_counts().sort_index()`: their order is that of the classes."),
        COUNTED,
    ),
    "no-class": Kind(
        "dead-switch", words.no_class,
        Remedy("weights-of-labels", "Use the numbers that stand in the labels", "changes-numerics",
               "`{0: 1.0, 1: 5.0}` for labels 0 and 1."),
    ),
    "norm-axis": Kind(
        "wrong-pairing", words.norm_axis,
        Remedy("channels-axis", "Normalise over the channels", "changes-numerics", "`BatchNormalization(axis=-1)`."),
        layer="BatchNormalization",
    ),
    "other-scale": Kind(
        "unlike-training", words.other_scale,
        Remedy("scale-all", "Scale all rows as those of the training", "changes-numerics",
               "One function that makes rows for `fit`, `evaluate` and `predict`."),
    ),
    "elsewhere": Kind(
        "unlike-training", words.elsewhere,
        Remedy("scale-all", "Scale all rows as those of the training", "changes-numerics",
               "One function that makes rows for `fit`, `evaluate` and `predict`."),
    ),
    "whole-adapt": Kind(
        "unsound-split", words.whole_adapt,
        Remedy("split-then-scale", "Split first, and take statistics of the training rows", "changes-numerics",
               "`layer.adapt(x_train)`."),
        layer="adapt",
    ),
    "windows": Kind(
        "unsound-split", words.windows,
        Remedy("cut-by-time", "Cut the series before the windows", "changes-numerics",
               "`series[:cut]` and `series[cut:]` first, then windows of each; or the first windows for the training "
               "and the last ones, a window's length later, for the test."),
        DEALT,
    ),
    "foretold": Kind(
        "unsound-split", words.foretold,
        Remedy("split-by-time", "Test on later rows than those of the training", "changes-numerics",
               "`x[:cut]` and `x[cut:]`; with scikit-learn `shuffle=False`, or `TimeSeriesSplit`."),
        DEALT,
    ),
    "unwritten": Kind(
        "wrong-shape-silent", words.unwritten,
        FILL,
        Maker(frozenset({"zeros", "zeros_like", "empty", "full"}), of_arrays=False, loops=True),
    ),
    "shifted": Kind(
        "wrong-pairing", words.shifted,
        Remedy("cut-both", "Cut rows and labels at the same places", "safe",
               "`x[k:]` belongs to `y[k:]`; of a forecast by k steps `x[:-k]` to `y[k:]`."),
        Maker(frozenset({"roll", "shift", "diff"}), of_arrays=False, shifts=True),
    ),
    "reversed": Kind(
        "wrong-pairing", words.reverse,
        Remedy("one-direction", "Put rows and labels into one direction", "safe",
               "`x[::-1]` and `y[::-1]`, or neither."),
        Maker(frozenset({"flip", "flipud", "reversed", "reverse", "sort", "sorted", "sort_values"}), of_arrays=False),
    ),
    "other-pairs": Kind(
        "wrong-pairing", words.other_pairs,
        Remedy("order-together", "Put rows and labels into one order", "changes-numerics",
               "`order = rng.permutation(len(x))`, then `x[order]` and `y[order]`; of datasets `zip` first, then "
               "`shuffle`."),
        made_by.REORDERED,
    ),
    "renumbered": Kind(
        "wrong-pairing", words.renumbered,
        Remedy("number-once", "Number the classes once, for all parts", "changes-numerics",
               "`names = sorted(set(train_names))`, and `names.index(name)` for both; or one encoder, fitted once."),
        made_by.NUMBERED,
    ),
    "ordered": Kind(
        "wrong-pairing", words.ordered,
        Remedy("sort-together", "Sort rows and labels by one order", "safe",
               "`order = np.argsort(y)`, then `x[order]` and `y[order]`."),
        Maker(frozenset({"sort", "sorted", "unique", "sort_values", "searchsorted", "set"}), of_arrays=False),
    ),
    "multiplied": Kind(
        "wrong-shape-silent", words.multiplied,
        Remedy("one-row-a-key", "Have each key once in one of the tables", "changes-numerics",
               "`right.drop_duplicates(key)` before the merge; `validate=\"many_to_one\"` raises where a key is "
               "repeated."),
    ),
    "relabelled": Kind(
        "wrong-pairing", words.relabelled,
        Remedy("by-place", "Assign by place, or label alike", "changes-numerics",
               "`table[name] = values` with an array, or `pd.Series(values, index=table.index)`."),
    ),
    "in-window": Kind(
        "wrong-pairing", words.in_window,
        Remedy("target-after-window", "Move the targets behind their windows", "changes-numerics",
               "`timeseries_dataset_from_array(data[:-n], targets[n:], sequence_length=n)` pairs each window with the "
               "value after it."),
        Maker(frozenset(), of_arrays=False, shifts=True),
    ),
    "target": Kind(
        "unsound-split", words.target,
        Remedy("drop-target", "Leave the target out of the rows", "changes-numerics",
               "Drop the column of the target, and columns computed from it alone, before the rows are made."),
        Maker(frozenset({"concatenate", "column_stack", "hstack", "stack", "concat", "c_", "to_numpy", "drop"}),
              of_arrays=False),
    ),
}  # fmt: skip
