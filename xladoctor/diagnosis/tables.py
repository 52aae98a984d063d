"""A mean or sum over every pair of rows, in NumPy after a prediction: the table was recorded, the operands are read in
the source.

Nothing is said where no operation of two different things is written out on the way to the mean, and where one of them
is given its axis there: a table of pairs may be what is wanted.
"""

from __future__ import annotations

from collections.abc import Iterator

from xladoctor.diagnosis.basis import RECORDED_NUMBERS, RECORDED_TABLE, TABLE_OF_PAIRS
from xladoctor.diagnosis.own_source import source_of
from xladoctor.diagnosis.setting_finding import event_of
from xladoctor.diagnosis.slips import views_of
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.model.diagnosis import Finding, Location, Proof
from xladoctor.recording.run import Recording, location
from xladoctor.recording.schema import schema
from xladoctor.rules import by_slug
from xladoctor.rules.slips_of_names import SAME_RANK
from xladoctor.sources.names import unchanged
from xladoctor.sources.pairs import Meeting, broadcast, met, squared

_TESTED = (
    " Its numbers are those of all pairs: without the means of its rows and columns, little is left of it but the "
    "product of one column and one row."
)


def tables(recording: Recording) -> Iterator[Finding]:
    """A warning for each line at which such a table was made, or a square that its type could not hold."""
    if not (survived(recording) or ended_itself(recording)):
        return
    yield from _overflows(recording)
    rule = by_slug("wrong-pairing")
    seen = set()
    for event in recording.of_kind(schema.TABLE):
        mean, shape = location(event.get("where")), tuple(event["shape"])
        source = source_of(recording, str(mean.file)) if mean is not None else None
        of, pairs = str(event.get("of") or "mean"), bool(event.get("pairs"))
        found = (
            met(source.tree, mean.line, of, pairs) if source is not None and mean is not None and mean.line else None
        )
        file = str(mean.file) if mean is not None else ""
        if found is None and pairs and mean is not None:
            file, found = _by_shapes(recording, shape[0]) or ("", None)
        if found is None or mean is None or (file, found.line) in seen:
            continue
        seen.add((file, found.line))
        rows = shape[0]
        name = mean.function or "the program"
        yield Finding(
            code=rule.code, slug=rule.slug, level="warning", role="root",
            title=f"{name}: a {of} is taken of {shape}, a number for every pair of {rows} rows",
            message=f"The model gave {rows} rows, and `{found.text}` has the shape {shape}, as ({rows}, 1) "
                    f"combined with ({rows},) gives. Broadcasting pairs each row with all rows, and the {of} at "
                    f"{mean} is that of all pairs.{_TESTED if pairs else ''} No error was raised in the run.",
            location=Location(file, found.line, mean.function if file == mean.file else None),
            dims=(list(shape),),
            evidence=(Proof("event", f"the {of} of an array of shape {shape}", event_of(event)),),
            status="confirmed" if pairs else "untested", basis=TABLE_OF_PAIRS if pairs else RECORDED_TABLE,
            remedies=(SAME_RANK,),
            details={"kind": "table", "function": mean.function, "meets": str(mean)},
        )  # fmt: skip


def _by_shapes(recording: Recording, rows: int) -> tuple[str, Meeting] | None:
    """The one line of the program whose operands held (rows, 1) and (rows,), wherever its result went."""
    with unchanged():
        found = {(f, m.line): m for f, view in views_of(recording).items() for m in broadcast(view, rows)}
    return next(((file, m) for (file, _), m in found.items()), None) if len(found) == 1 else None


def _overflows(recording: Recording) -> Iterator[Finding]:
    """A mean of squares, one of which is negative."""
    rule = by_slug("integer-wrap")
    for event in recording.of_kind(schema.BELOW_ZERO):
        mean = location(event.get("where"))
        source = source_of(recording, str(mean.file)) if mean is not None else None
        found = squared(source.tree, mean.line) if source is not None and mean is not None and mean.line else None
        if found is None or mean is None:
            continue
        dtype, least = event["dtype"], event["least"]
        yield Finding(
            code=rule.code, slug=rule.slug, level="warning", role="root",
            title=f"{mean.function or 'the program'}: `{found.text}` is too large for {dtype}, and comes to {least}",
            message=f"A square is not negative, but the array of which the mean is taken at {mean} is of {dtype}, and "
                    f"has {least} as its least number: NumPy computes it in the type of its operands, where "
                    "large results wrap around. No error was raised in the run.",
            location=Location(str(mean.file), found.line, mean.function),
            evidence=(Proof("event", f"the mean of {dtype}, the least number of which is {least}", event_of(event)),),
            status="confirmed", basis=RECORDED_NUMBERS,
            remedies=rule.remedies,
            details={"kind": "overflow", "function": mean.function, "meets": str(mean)},
        )  # fmt: skip
