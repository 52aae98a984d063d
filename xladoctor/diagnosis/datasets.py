"""Pipelines whose rows are not those that the program takes them for: what the recorder saw of their making.

A dataset that is shuffled again at each pass gives its rows in an order that nobody has, so that predictions made of it
belong to no row that is known. What was drawn is not looked at: that nobody wants the order cannot be seen, so each is
a warning.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from xladoctor.diagnosis.basis import RECORDED_DATASET
from xladoctor.diagnosis.own_source import program_of, source_of
from xladoctor.diagnosis.setting_finding import event_of
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.model.diagnosis import Finding, Level, Proof, Remedy
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema
from xladoctor.rules import by_slug
from xladoctor.sources.given_back import given_back
from xladoctor.sources.loops import beside_others, predicts, treats_training_apart, unconditional
from xladoctor.sources.names import last_name, nodes_of

_SLUGS = {
    "reshuffled": "wrong-pairing",
    "shuffled-pass": "wrong-pairing",
    "zipped": "wrong-pairing",
    "dropped": "wrong-shape-silent",
}
_ONE_WAY = "shuffled-pass"
_LOOP = "loop"
_REMEDIES = {
    "reshuffled": Remedy(
        "keep-order",
        "Predict on a dataset that is not shuffled",
        "safe",
        "Shuffle only training data, or use reshuffle_each_iteration=False, so that a second pass has the order of "
        "the first.",
    ),
    _ONE_WAY: Remedy(
        "labels-of-pass",
        "Keep the labels of the same pass",
        "safe",
        "`for x, y in data:` keep both, or predict on a dataset that is not shuffled.",
    ),
    "zipped": Remedy(
        "shuffle-after-zip",
        "Shuffle after the zip",
        "safe",
        "`tf.data.Dataset.zip((a, b)).shuffle(n)` keeps the pairs together.",
    ),
    "dropped": Remedy(
        "keep-remainder",
        "Keep the last batch",
        "safe",
        "drop_remainder=True is for training. Without it, the last batch of a prediction is smaller, and no row is "
        "lost.",
    ),
}


def pipelines(recording: Recording) -> Iterator[Finding]:
    """A finding for each dataset whose rows are in no known order, are not all there, or were zipped with others."""
    if not (survived(recording) or ended_itself(recording)):
        return
    seen = set()
    for event in recording.of_kind(schema.DATASET):
        found = _finding(_of_loop(_decided(event, recording), recording)) if event["what"] in _SLUGS else None
        if found is not None and found.level == "note" and _many(event, recording):
            found = replace(found, level="warning") if _meant_for_training(event, recording) else found
        key = (event["what"], str(found.location)) if found is not None else None
        if found is not None and key not in seen:
            seen.add(key)
            yield found


def _decided(event: Event, recording: Recording) -> Event:
    """The event with the line where its shuffle is made, if what calls the function there has no say in it."""
    made = location(event.get("made"))
    source = source_of(recording, str(made.file)) if made is not None else None
    always = source is not None and made is not None and made.line and unconditional(source.tree, made.line, "shuffle")
    return {**event, "where": event["made"]} if always else event


def _of_loop(event: Event, recording: Recording) -> Event | None:
    """The event; of loops of the program the one of what the body of one predicts with, None where they may as well
    train. The second loop only shows that there is another pass.
    """
    if event.get("method") != _LOOP:
        return event
    if event["what"] == _ONE_WAY:
        at = location(event.get("used"))
        source = source_of(recording, str(at.file)) if at is not None else None
        if source is None or at is None or not at.line:
            return None
        call = beside_others(source.tree, at.line) or given_back(program_of(recording), str(at.file), at.line)
        return {**event, "method": call} if call is not None else None
    for at in map(location, (event.get("used"), event.get("other"))):
        source = source_of(recording, str(at.file)) if at is not None else None
        call = (
            predicts(
                source.tree, at.line, str(event["what"]), _many(event, recording), _meant_for_training(event, recording)
            )
            if source is not None and at is not None and at.line
            else None
        )
        if call is not None:
            return {**event, "method": call}
    return None


_OF_ONE_SIZE = frozenset({"batch_shape", "batch_input_shape", "stateful"})
"""Arguments of layers whose batches have to be of one size."""


def _many(event: Event, recording: Recording) -> bool:
    """Whether a tenth of the rows or more are dropped, and no model of the program is made for batches of one size."""
    rows = event.get("rows") or []
    many = event["what"] == "dropped" and len(rows) == 2 and 10 * (rows[0] - rows[1]) >= rows[0]
    return many and not _of_one_size(recording)


def _of_one_size(recording: Recording) -> bool:
    calls = [c for tree in program_of(recording).values() for c in nodes_of(tree, ast.Call)]
    named = [(last_name(c.func), k) for c in calls for k in c.keywords]
    return any(
        (k.arg in _OF_ONE_SIZE and getattr(k.value, "value", True) is not False)
        or (name in ("Input", "InputLayer") and k.arg == "batch_size")
        for name, k in named
    )


def _meant_for_training(event: Event, recording: Recording) -> bool:
    """Whether the line that drops the batch is run for all data in a function that treats training data apart."""
    at = location(event.get("where"))
    source = source_of(recording, str(at.file)) if at is not None else None
    return source is not None and at is not None and bool(at.line) and treats_training_apart(source.tree, at.line or 0)


def _finding(event: Event | None) -> Finding | None:
    if event is None:
        return None
    what = str(event["what"])
    at, used = location(event.get("where")), location(event.get("used"))
    title, message = _words(event, f", {used}" if used is not None and used != at else "")
    rule = by_slug(_SLUGS[what])
    if at is None and used is None:
        return None
    # An `evaluate` of the batches that are full is one of most rows: less may be wanted there than of a prediction.
    level: Level = "note" if event.get("method") == "evaluate" else "warning"
    return Finding(
        code=rule.code, slug=rule.slug, level=level, role="root", title=title,
        message=f"{message} No error was raised in the run.",
        location=at or used,
        evidence=(Proof("event", title, event_of(event)),),
        status="confirmed", basis=RECORDED_DATASET,
        remedies=(_REMEDIES[what],),
        details={"kind": what, "function": event.get("method"), "rows": event.get("rows")},
    )  # fmt: skip


def _words(event: Event, used: str) -> tuple[str, str]:
    """(title, message)."""
    rows: Sequence[int] = event.get("rows") or []
    call = (
        f"{event.get('method')} of {event.get('model')}" if event.get("model") else f"{event.get('method')} in a loop"
    )
    if event["what"] == "reshuffled":
        return (
            f"{call} gets a dataset that is shuffled again at each pass",
            f"What {call} gives{used} is in the order of this one pass. No other pass over the dataset and no "
            f"array has that order, so a prediction cannot be matched with its row or label.",
        )
    if event["what"] == _ONE_WAY:
        return (
            "Results of a loop over a shuffled dataset are kept without their labels, and put beside others",
            f"What `{event.get('method')}` gives{used} is in the order of this one pass. Its labels are not kept, "
            "and no array has that order, so each result meets that of another row.",
        )
    if event["what"] == "dropped":
        return (
            f"{call} sees {rows[1]} of {rows[0]} rows: the last batch is dropped",
            f"The dataset has {rows[0]} rows, and a last batch that is not full is dropped (drop_remainder=True), so "
            f"that {call}{used} leaves {rows[0] - rows[1]} of them out.",
        )
    each = "both are" if all(event.get("shuffled") or ()) else "one of them is"
    return (
        f"Datasets of {rows[0]} elements each are zipped after {each} shuffled",
        f"Zip puts the elements side by side{used} that come at the same time; {each} shuffled separately before "
        f"that, so the pairs do not belong together.",
    )
