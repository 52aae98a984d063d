"""Scores that are computed of predictions and the labels of other rows, or of predictions that were never made.

The recorder knows which row each prediction was made for, and compared both orders; the source is asked only
whether the line means it so, and where the predictions were put.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from xladoctor.diagnosis.basis import RECORDED_NUMBERS, RECORDED_PARTNERS
from xladoctor.diagnosis.own_source import files_of, source_of
from xladoctor.diagnosis.setting_finding import event_of
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.model.diagnosis import Finding, Location, Proof, Remedy
from xladoctor.recording.run import Recording, location
from xladoctor.recording.schema import schema
from xladoctor.rules import by_slug
from xladoctor.sources.loops import MEANT
from xladoctor.sources.names import walk

_ORDER = Remedy(
    "rows-together", "Compare each prediction with the label of its row", "safe",
    "Put the predictions back into the order of the rows, `result[order] = model(x[order])`, or take the labels in the "
    "same order, from the same pass over the data.",
)  # fmt: skip
_REST = Remedy(
    "round-up", "Predict the last rows, too", "safe",
    "`for start in range(0, len(x), size)`: the last slice ends at the end of the array by itself.",
)  # fmt: skip


def scores(recording: Recording, known: Sequence[Finding]) -> Iterator[Finding]:
    """A warning for each such score, but for lines of which one of the same class is `known`: at the line that puts the
    predictions into an array, where one does, and else at that of the score.
    """
    told = {(f.slug, f.location.file, f.location.line) for f in known if f.location is not None}
    if not (survived(recording) or ended_itself(recording)):
        return
    for event in recording.of_kind(schema.SCORE):
        at = location(event.get("where"))
        if at is None or at.line is None:
            continue
        text = (files_of(recording).code(str(at.file), at.line) or "").lower()
        words = f"{text} {at.function or ''} {' '.join(event['names'][:2])}".lower()
        if event["what"] == "apart" and any(word in words for word in MEANT):
            continue
        score = Location(str(at.file), at.line, at.function)
        finding = (_apart if event["what"] == "apart" else _unfilled)(event, score, _put(recording, event) or score)
        where = finding.location
        lines = {score.line, where.line if where is not None else None}
        if not any((finding.slug, score.file, line) in told for line in lines):
            yield finding


def _put(recording: Recording, event: dict[str, Any]) -> Location | None:
    """The line that puts predictions into the rows of an array; of rows that were never written, the loop around it."""
    made = location(event.get("made"))
    source = source_of(recording, str(made.file)) if made is not None else None
    if source is None or made is None or made.line is None:
        return None
    puts = [
        n for n in walk(source.tree)
        if isinstance(n, ast.Assign) and n.lineno <= made.line <= (n.end_lineno or n.lineno)
        and any(isinstance(t, ast.Subscript) for t in n.targets)
    ]  # fmt: skip
    loops = [
        n for n in walk(source.tree)
        if isinstance(n, ast.For | ast.While) and n.lineno <= made.line <= (n.end_lineno or n.lineno)
    ]  # fmt: skip
    if event["what"] == "unfilled":
        line = max((n.lineno for n in loops), default=None)
    else:
        line = puts[-1].lineno if puts else None
    return Location(str(made.file), line, made.function) if line is not None else None


def _apart(event: dict[str, Any], score: Location, at: Location) -> Finding:
    rule = by_slug("wrong-pairing")
    guesses, labels, rows, beside = ([str(n) for n in event["names"]] + ["?"] * 4)[:4]
    count, other = event["rows"]
    here, there = (event.get("numbers") or [0.0, 0.0])[:2]
    return Finding(
        code=rule.code, slug=rule.slug, level="warning", role="root",
        title=f"`{guesses}` and `{labels}` are compared, but {other} of {count} predictions are of other rows",
        message=f"The model made each prediction for a row of `{rows}`. In `{guesses}` they are in another order than "
                f"the rows that `{labels}` belongs to (`{beside}`). As they are compared at {score}, their correlation "
                f"is {here:.2f}; by rows it is {there:.2f}. No error was raised in the run.",
        location=at,
        evidence=(Proof("event", f"correlation {here:.2f}, by rows {there:.2f}", event_of(event)),),
        status="confirmed", basis=RECORDED_PARTNERS, remedies=(_ORDER,),
        details={"kind": "apart", "names": [guesses, labels, rows, beside], "numbers": [here, there]},
    )  # fmt: skip


def _unfilled(event: dict[str, Any], score: Location, at: Location) -> Finding:
    rule = by_slug("wrong-shape-silent")
    rest, count = event["rows"]
    name = str((event["names"] or ["?"])[0])
    return Finding(
        code=rule.code, slug=rule.slug, level="warning", role="root",
        title=f"The last {rest} of {count} rows of `{name}` were never predicted",
        message=f"The first {count - rest} numbers of `{name}` are results of the model. The last {rest}, fewer than a "
                f"batch, are as the array was made. The score at {score} is computed of all of it. No error was raised "
                "in the run.",
        location=at,
        evidence=(Proof("event", f"{rest} of {count} rows were not written", event_of(event)),),
        status="confirmed", basis=RECORDED_NUMBERS, remedies=(_REST,),
        details={"kind": "unfilled", "names": [name], "numbers": [rest, count]},
    )  # fmt: skip
