"""Training and validation rows that are not split as they look: what the recorder saw of datasets and of labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xladoctor.diagnosis.basis import RECORDED_DATASET, RECORDED_LABELS
from xladoctor.diagnosis.setting_finding import event_of
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.model.diagnosis import Finding, Proof
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema
from xladoctor.rules import by_slug

_SLUG = "unsound-split"
_REMEDY = {"reshuffled": "split-once", "sorted": "shuffle-before-split", "batches": "shuffle-all-rows"}


def splits(recording: Recording) -> Iterator[Finding]:
    """A warning for each `fit` whose validation rows are partly training rows, or are of other classes."""
    if not (survived(recording) or ended_itself(recording)):
        return
    seen = set()
    for event in recording.of_kind(schema.SPLIT):
        if event["what"] not in _REMEDY:
            continue
        found = _finding(event)
        key = (event["what"], str(found.location))
        if key not in seen:
            seen.add(key)
            yield found


def _finding(event: Event) -> Finding:
    what = str(event["what"])
    rule = by_slug("sorted-batches" if what == "batches" else _SLUG)
    title, message = {"reshuffled": _reshuffled, "sorted": _sorted, "batches": _batches}[what](event)
    return Finding(
        code=rule.code, slug=rule.slug, level="warning", role="root", title=title,
        message=f"{message} No error was raised in the run.",
        location=location(event.get("where")) or location(event.get("used")),
        evidence=(Proof("event", title, event_of(event)),),
        status="confirmed", basis=RECORDED_DATASET if what == "reshuffled" else RECORDED_LABELS,
        remedies=tuple(r for r in rule.remedies if r.id == _REMEDY[what]),
        details={"kind": what, "rows": list(event["rows"]), "model": event.get("model")},
    )  # fmt: skip


def _reshuffled(event: Event) -> tuple[str, str]:
    """(title, message) of a dataset that is shuffled above the cut."""
    training, validation = event["rows"]
    used = location(event.get("used"))
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
    return f"fit of {event.get('model')}: {alone // size} successive batches are rows of one class", (
        f"The {rows} rows are of {classes[1]} classes, begin with one of them, and are {shuffled}. So {alone} rows, "
        f"{alone // size} batches of {size}, are all of that class, at each pass. A shuffle after `batch` moves whole "
        "batches."
    )
