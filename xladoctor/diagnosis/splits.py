"""Training and validation rows that are not split as they look: what the recorder saw of datasets and of labels."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from xladoctor.diagnosis.basis import RECORDED_CALL, RECORDED_DATASET, RECORDED_LABELS
from xladoctor.diagnosis.own_source import source_of
from xladoctor.diagnosis.row_findings import Kind, row_findings, template
from xladoctor.model.diagnosis import Finding, Location, Remedy
from xladoctor.recording.run import Event, Recording, location
from xladoctor.sources.names import last_name, nodes_of

_HOT = frozenset({"one_hot", "to_categorical"})
SPLIT_BEFORE = Remedy(
    "split-before", "Split first, and keep the parts apart", "changes-numerics",
    "Split rows before any of them is repeated or drawn with replacement, by positions that no two parts share.",
)  # fmt: skip


def splits(recording: Recording) -> Iterator[Finding]:
    """A warning for each `fit` whose validation rows are partly training rows, or are of other classes."""

    def place(event: Event, kind: Kind) -> tuple[Location | None, str]:
        at = location(event.get("where")) or location(event.get("used"))
        return (_one_hot(at, recording) if event["what"] == "unnamed" else at), ""

    yield from row_findings(recording, _KINDS, place)


def _one_hot(used: Location | None, recording: Recording) -> Location | None:
    """The one line of the file that makes labels one-hot; else the `fit`."""
    source = source_of(recording, used.file) if used is not None else None
    calls = [n for n in nodes_of(source.tree, ast.Call) if last_name(n.func) in _HOT] if source else []
    lines = {n.lineno for n in calls}
    return replace(used, line=lines.pop()) if used is not None and len(lines) == 1 else used


def _reshuffled(event: Event) -> tuple[str, str]:
    """(title, message) of a dataset that is shuffled above the cut."""
    training, validation = event["rows"]
    used = location(event.get("used"))
    if not event.get("model"):
        return (
            "The parts that `take` and `skip` cut off are other elements at each pass",
            f"{training} and {validation} elements are cut from a dataset that is shuffled above the cut, in another "
            f"order at each pass, and the program goes through both parts ({used}). So each part has by now "
            "had elements of the other: what is measured on one was learnt from, too.",
        )
    parts = f"{training} elements for training and the {validation} for validation"
    return (
        f"fit of {event.get('model')} is validated on rows of its training",
        f"The {parts}{f' ({used})' if used is not None else ''} are cut by `take` and `skip` from a dataset that is "
        "shuffled above the cut, in another order at each pass. So each pass cuts off other elements, and in the "
        "end the model is also trained on validation rows.",
    )


def _sorted(event: Event) -> tuple[str, str]:
    """(title, message) of labels that stand in order."""
    training, validation = event["rows"]
    classes: Sequence[int] = event.get("classes") or (0, 0)
    unseen = int(event.get("unseen") or 0)
    many = "class" if classes[1] == 1 else "classes"
    title = f"fit of {event.get('model')}: the {validation} rows of validation_split are of {classes[1]} {many}"
    tail = (
        f"{unseen} of them are of classes that no training row has."
        if unseen
        else "The training rows are of more classes than that."
    )
    return title, (
        f"validation_split takes the last {validation} of {training + validation} rows without a shuffle. They are "
        f"of {classes[1]} {many}, the other rows of {classes[0]}. {tail} So the rows are sorted by label, and a "
        f"measure of the last ones says little about the others."
    )


def _batches(event: Event) -> tuple[str, str]:
    """(title, message) of batches of one class."""
    alone, rows = event["rows"]
    classes: Sequence[int] = event.get("classes") or (1, 2)
    size, buffer = int(event.get("size") or 1), int(event.get("buffer") or 0)
    shuffled = f"shuffled with a buffer of {buffer}" if buffer else "not shuffled before the batches"
    whose = f"fit of {event.get('model')}" if event.get("model") else str(event.get("name"))
    return f"{whose}: {alone // size} successive batches are rows of one class", (
        f"The {rows} rows are of {classes[1]} classes, begin with one of them, and are {shuffled}. So {alone} rows, "
        f"{alone // size} batches of {size}, are all of that class, at each pass. A shuffle after `batch` moves whole "
        "batches."
    )


# Rows that stand on both sides.
_shared = template(
    "fit of {model} is validated on rows that it is trained on: {shared} of {rows}",
    "{shared} of the {rows} validation rows are, number for number, rows of the training. What is measured on them "
    "says nothing of rows that the model has not seen.",
    "shared",
    "rows",
)


def _apart(event: Event) -> tuple[str, str]:
    """(title, message) of a validation of other classes."""
    training, validation = event["rows"]
    classes: Sequence[int] = event.get("classes") or (0, 0)
    return (
        f"fit of {event.get('model')}: {event.get('unseen')} of {validation} validation rows are of classes that no "
        "training row has",
        f"The {training} training rows are of {classes[0]} classes, the {validation} validation rows of {classes[1]}. "
        "So the rows were sorted by label when they were split.",
    )


# Random changes that are kept.
_cached = template(
    "fit of {model}: what a function draws at random is cached in the first epoch",
    "A function before `cache` draws numbers at random. The cache keeps what they gave in the first epoch, and all "
    "later epochs see the same rows again.",
)


# Labels that were counted from 1.
_unnamed = template(
    "fit of {model}: {zeros} of {rows} one-hot labels name no class",
    "{zeros} of {rows} rows of the labels are all zeros, and no row is of the first class. Labels that begin at 1 "
    "were made one-hot as if they began at 0. A row of zeros adds nothing to the loss.",
    "zeros",
    "rows",
)


# Folds that share a model.
_folds = template(
    "evaluate of {model}: an earlier fold has trained the model on {seen} of {rows} rows",
    "The last `fit` left these rows out, but the same model, with the weights that it had, was trained on {seen} "
    "of them in an earlier fold. What is measured on them says nothing of rows that the model has not seen.",
    "seen",
    "rows",
)


# A recurrent layer that keeps its state over batches in a random order.
_stateful = template(
    "fit of {model} shuffles rows whose layers keep their state from batch to batch",
    "A layer with stateful=True begins each row with the state in which the row at the same place of the last "
    "batch ended. `fit` shuffles the rows, so that each goes on from another sequence.",
)


_KINDS: Mapping[str, Kind] = {
    "reshuffled": Kind("unsound-split", _reshuffled, "split-once", basis=RECORDED_DATASET),
    "sorted": Kind("unsound-split", _sorted, "shuffle-before-split", basis=RECORDED_LABELS),
    "batches": Kind("sorted-batches", _batches, "shuffle-all-rows", basis=RECORDED_LABELS),
    "shared": Kind("unsound-split", _shared, SPLIT_BEFORE, basis=RECORDED_LABELS),
    "apart": Kind("unsound-split", _apart, "shuffle-before-split", basis=RECORDED_LABELS),
    "cached": Kind(
        "random-in-compiled", _cached,
        Remedy("cache-first", "Cache before what is drawn at random", "safe",
               "`ds.cache().map(augment)`: then each epoch draws its own changes."),
        basis=RECORDED_DATASET,
    ),
    "unnamed": Kind(
        "index-out-of-range", _unnamed,
        Remedy("count-from-zero", "Count the classes from 0", "safe",
               "`tf.one_hot(labels - 1, classes)`, where labels begin at 1."),
        basis=RECORDED_LABELS,
    ),
    "folds": Kind(
        "unsound-split", _folds,
        Remedy("new-model", "Make a new model for each fold", "changes-numerics",
               "Build and compile the model within the loop, or set its first weights again before each `fit`. A new "
               "`compile` alone keeps the weights."),
        basis=RECORDED_LABELS,
    ),
    "stateful": Kind(
        "wrong-pairing", _stateful,
        Remedy("keep-sequence", "Train it on batches in their order", "changes-numerics",
               "`fit(..., shuffle=False)`, and `reset_states()` where a sequence ends."),
        basis=RECORDED_CALL,
    ),
}  # fmt: skip
