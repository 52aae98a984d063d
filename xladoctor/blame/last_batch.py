"""The last, smaller batch, named where it is the cause: so many rows, in batches of so many, leave so many.

A fact of the run decides: the rows and the batch size of a recorded call, or an array of as many rows beside the line
that failed. What the source says of its batches (with the very check of `lint`) names the line, and alone makes it
likely only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from xladoctor.blame.batch_lines import Line, Lines, lines_of
from xladoctor.blame.of_run import failure_of
from xladoctor.model.blame import Likeliness, Suspect
from xladoctor.model.diagnosis import Diagnosis, Finding, Location, Proof, Remedy
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema
from xladoctor.recording.user_sources import UserSources, sources_of
from xladoctor.sources.source import Source, Unreadable, parse

_LONGEST = 1 << 20
_MEET = frozenset(
    {
        "broadcast-mismatch", "reshape-mismatch", "keras-input-mismatch", "concat-pack-mismatch",
        "loop-shape-mismatch", "branch-shape-mismatch",
    }
)  # fmt: skip
"""Classes in which two numbers of rows may meet."""


@dataclass(frozen=True)
class LastBatch:
    """`rows` rows in batches of `size` leave `left`. `rows` is None where only the source speaks of batches."""

    size: int
    left: int
    rows: int | None
    what: str
    recorded: bool
    evidence: str | None = None
    tested: bool = False
    """A worker ran the call: it fails with the last batch."""


def with_last_batch(diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """The diagnosis, with the last batch as the cause of its root where that is so."""
    root = diagnosis.root
    if root is None or root.level != "error" or root.slug not in _MEET:
        return diagnosis
    failure = failure_of(root, recording)
    known = sources_of(recording)
    names = [str(f["file"]) for f in (failure or {}).get("frames") or () if f.get("user")]
    names += [str(script) for script in known.scripts] if known is not None else []
    return diagnosis.with_finding(root, judged(root, recording, failure, _read(known, names) if known else ()))


def _read(known: UserSources, names: Iterable[str]) -> Iterator[Source]:
    for name in dict.fromkeys(names):
        text, _ = known.text(Path(name), followed=True)
        if text is not None and len(text) <= _LONGEST:
            try:
                yield parse(text, name)
            except Unreadable:
                continue


def judged(finding: Finding, recording: Recording, failure: Event | None, sources: Iterable[Source]) -> Finding:
    """The finding, with the last batch as its cause where that is so."""
    pairs = list(_pairs(finding, failure))
    tested = _of_worker(finding, recording)
    if not pairs and tested is None:
        return finding
    lines = lines_of(list(sources))
    if tested is not None:
        return _told(finding, tested, lines)
    found = (
        _of_call(pairs, recording)
        or _of_arrays(pairs, failure, lines)
        or _of_blame(pairs, finding)
        or _of_source(pairs, lines)
    )
    return finding if found is None else _told(finding, found, lines)


# -- the sizes --------------------------------------------------------------------------------------------------------


def _pairs(finding: Finding, failure: Event | None) -> Iterator[tuple[int, int]]:
    """(larger, smaller) of the sizes that disagree; of numbers of elements also what is left of both by their common
    factor.
    """
    listed: list[list[Any]] = [list(pair) for pair in _first_axes(finding)]
    listed.append([finding.details.get("have"), finding.details.get("want")])
    numbers = [n for n in finding.dims if isinstance(n, int) and not isinstance(n, bool)]
    if len(numbers) == 2 and not finding.details.get("shapes"):
        listed.append(numbers)
    seen = set()
    for sizes in listed:
        whole = [n for n in sizes or () if isinstance(n, int) and not isinstance(n, bool) and n > 0]
        if len(whole) != 2 or whole[0] == whole[1]:
            continue
        large, small = max(whole), min(whole)
        for unit in (1, *_units(math.gcd(large, small))):
            pair = (large // unit, small // unit)
            if pair not in seen and pair[0] > 1:
                seen.add(pair)
                yield pair


def _units(common: int) -> list[int]:
    """The factors by which both sizes may be multiples of a number of rows."""
    return [n for n in range(2, min(common, 4096) + 1) if common % n == 0]


def _first_axes(finding: Finding) -> Iterator[tuple[int, int]]:
    """The sizes of the first axes, where rows are: another axis of that size has nothing to do with batches."""
    counts = finding.details.get("row_counts")
    if isinstance(counts, list | tuple) and len(counts) == 2:
        yield counts[0], counts[1]
    shapes = finding.details.get("shapes")
    if not isinstance(shapes, list | tuple) or len(shapes) != 2:
        return
    one, other = shapes
    if isinstance(one, list | tuple) and isinstance(other, list | tuple) and one and len(one) == len(other):
        yield one[0], other[0]


# -- what the run says ------------------------------------------------------------------------------------------------


def _of_worker(finding: Finding, recording: Recording) -> LastBatch | None:
    """A call that a worker ran again, and that fails with the rows that are left over."""
    left = finding.details.get("failing_batch")
    if not isinstance(left, int):
        return None
    for event in recording.of_kind(schema.CALL):
        for rows, size, what in _runs_of(event):
            if rows > size and rows % size == left:
                return LastBatch(size, left, rows, what, True, "worker.jsonl", tested=True)
    return None


def _of_call(pairs: list[tuple[int, int]], recording: Recording) -> LastBatch | None:
    """A call of Keras that failed, on arrays whose rows its batch size does not divide."""
    failed = {(e["pid"], e["call"]) for e in recording.of_kind(schema.CALL) if e["phase"] == "failed"}
    for event in recording.of_kind(schema.CALL):
        if event["phase"] != "begin" or (event["pid"], event["call"]) not in failed:
            continue
        where = f"events-{event['pid']}.jsonl:{event['seq']}"
        for rows, size, what in _runs_of(event):
            left = rows % size
            if left and rows > size and (size, left) in pairs:
                return LastBatch(size, left, rows, what, True, where)
    return None


def _runs_of(event: Event) -> Iterator[tuple[int, int, str]]:
    """(rows, batch size, in words) of what a call goes through: training, and validation after each epoch."""
    rows, size = event.get("rows_in"), event.get("batch_size")
    if not isinstance(rows, int) or not isinstance(size, int) or size < 2:
        return
    held = event.get("validation_rows")
    split = event.get("validation_split")
    method = str(event.get("method"))
    if isinstance(split, float) and split > 0 and isinstance(held, int):
        yield rows - held, size, f"{method} of {rows} samples, {held} of them held back by validation_split"
    else:
        yield rows, size, f"{method} of {rows} samples"
    if isinstance(held, int):
        other = event.get("validation_batch_size")
        yield held, other if isinstance(other, int) and other > 1 else size, f"the {held} samples of validation"


def _of_arrays(pairs: list[tuple[int, int]], failure: Event | None, lines: Lines) -> LastBatch | None:
    """An array beside the line that failed, whose rows leave the smaller size in batches of the larger one."""
    known = _leading(failure)
    for size, left in pairs:
        # Two sizes have many factors in common: only a batch size that is written says which of them is no chance.
        reduced = any(large > size and large * left == small * size for large, small in pairs)
        if not any(n == size or (n is None and not reduced) for _, _, n in lines.batches):
            continue
        for name, rows in known.items():
            if rows > size and rows % size == left:
                return LastBatch(size, left, rows, f"`{name}` has {rows} rows", True)
    return None


def _leading(failure: Event | None) -> dict[str, int]:
    found: dict[str, int] = {}
    for frame in (failure or {}).get("frames") or ():
        for tensor in frame.get("tensors") or () if frame.get("user") else ():
            shape = tensor.get("shape")
            if isinstance(shape, list) and shape and isinstance(shape[0], int):
                found.setdefault(str(tensor.get("name")), shape[0])
    return found


def _of_blame(pairs: list[tuple[int, int]], finding: Finding) -> LastBatch | None:
    """Rows and a batch size to which the source was followed: likely, for no array was seen with these rows."""
    found = finding.details.get("batching")
    if not isinstance(found, list | tuple) or len(found) != 2:
        return None
    rows, size = found
    left = rows % size
    return LastBatch(size, left, rows, f"the data have {rows} rows", False) if (size, left) in pairs else None


def _of_source(pairs: list[tuple[int, int]], lines: Lines) -> LastBatch | None:
    """Batches of the larger size in the source, which fixes that size elsewhere: likely, for nothing was counted."""
    for size, left in pairs:
        if any(n == size for _, _, n in lines.batches) and any(n == size for _, _, n in lines.pins):
            return LastBatch(size, left, None, f"the source makes batches of {size}", False)
    return None


# -- in words ---------------------------------------------------------------------------------------------------------


def _told(finding: Finding, found: LastBatch, lines: Lines) -> Finding:
    batches = [b for b in lines.batches if b[2] in (found.size, None)]
    pins = [p for p in lines.pins if p[2] == found.size]
    sentence = f"The last batch has {found.left} rows"
    if found.rows is not None:
        sentence += f": {found.what}, and {found.rows} rows in batches of {found.size} leave {found.left}."
    else:
        sentence = f"Likely the last batch has only {found.left} rows: {found.what}, and {pins[0][1]} fixes that size."
    if batches:
        sentence += f" It comes from {batches[0][1]}, {batches[0][0]}."
    suspects = _suspects(finding, found, batches, pins, lines.buffers)
    if found.tested:
        # The op that the worker saw fail, and its line, are known better than who is to blame for the batch.
        suspects = (*finding.suspects, *(s for s in suspects if s not in finding.suspects))
        sentence = ""
    details: dict[str, Any] = {
        "size": found.size, "left": found.left, "rows": found.rows, "recorded": found.recorded,
    }  # fmt: skip
    kept = found.tested or not found.recorded or not suspects or suspects == finding.suspects
    kind = "event" if found.recorded else "source"
    known = {r.id for r in finding.remedies}
    fresh = [r for r in _remedies(pins) if r.id not in known]
    # That one size is a multiple of the other, or of which axis, says nothing where rows are left over.
    rest = [r for r in finding.remedies if r.id != "make-sizes-agree"]
    return replace(
        finding,
        message=f"{finding.message} {sentence}".rstrip(),
        evidence=(*finding.evidence, *([Proof(kind, sentence, found.evidence)] if sentence else [])),
        details={**finding.details, "last_batch": details},
        remedies=(*fresh, *rest),
        suspects=suspects,
        raised_at=finding.raised_at or finding.location,
        location=finding.location if kept else suspects[0].location,
    )


def _suspects(
    finding: Finding,
    found: LastBatch,
    batches: list[Line],
    pins: list[Line],
    buffers: Sequence[Line],
) -> tuple[Suspect, ...]:
    """The line of the batches, then what fixes their size, then what was suspected before. Where the source was
    followed to the batches already, only what fixes their size is new. An array of whole batches that is filled with
    a batch comes before all: a last batch may be smaller.
    """
    fixed = [
        Suspect(place, "", f"{text} fixes the size {found.size}.", edit="batch-size") for place, text, _ in pins[:1]
    ]
    if any(s.edit == "drop-remainder" or " for the last one" in s.reason for s in finding.suspects[:2]):
        more = [s for s in fixed if _line(s) not in set(map(_line, finding.suspects))]
        return (*finding.suspects[:1], *more, *finding.suspects[1:])
    likely: Likeliness = "likely" if found.recorded else "possible"
    mine = [
        Suspect(
            place,
            "",
            f"{text[:1].upper()}{text[1:]} may end with a smaller batch, here of {found.left}.",
            likely,
            None,
            "drop-remainder",
        )
        for place, text, _ in batches[:1]
    ]
    raised = finding.raised_at or finding.location
    mine = [
        Suspect(
            place, "", f"{text} makes {found.size} rows, also for a batch of {found.left}.", likely, None, "batch-size"
        )
        for place, text, _ in buffers[:1]
        if raised is not None and place.file == raised.file and _last(place) == _last(raised)
    ] + mine
    mine += fixed
    codes = {_line(s): s.code for s in finding.suspects}
    mine = [replace(s, code=codes.get(_line(s), s.code)) for s in mine]
    return (*mine, *(s for s in finding.suspects if _line(s) not in set(map(_line, mine))))


def _last(place: Location) -> str:
    """The name of a function without its class."""
    return (place.function or "").rpartition(".")[2]


def _line(suspect: Suspect) -> tuple[str, int | None]:
    return suspect.location.file, suspect.location.line


def _remedies(pins: list[Line]) -> tuple[Remedy, ...]:
    """A size that the source fixes can be taken from the data, which changes no number: that comes first."""
    drop, take = _REMEDIES
    if not pins:
        return drop, take
    place = pins[0][0]
    return replace(take, title=f"{Path(place.file).name}:{place.line}: take the number of rows from the data"), drop


_REMEDIES = (
    Remedy(
        "drop-remainder", "Drop the last, smaller batch", "changes-numerics",
        "`.batch(n, drop_remainder=True)`; for arrays, pass a multiple of the batch size.",
    ),
    Remedy(
        "pad-last-batch", "Take the number of rows from the data", "safe",
        "`tf.shape(x)[0]` instead of the constant works for every batch; if the size must be fixed, pad the last one.",
    ),
)  # fmt: skip
