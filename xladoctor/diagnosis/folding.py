"""Rows that a call did not give back: lost, or folded on purpose.

A model may pool bags of rows, score every time step or read out a graph: its own reshape or reduction says so, and no
run can say that it should not. What is wrong is wrong where the result meets something that has a row for each sample:
one row for each batch is stretched over all targets of the batch, and the loss is that of nobody's model.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from xladoctor.model.diagnosis import Level, Location
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema

# Ops that fold rows or lay them out anew: whoever writes one means the rows to change.
_FOLDS = frozenset(
    {
        "Reshape", "Sum", "Mean", "Max", "Min", "Prod", "All", "Any", "ArgMax", "ArgMin", "SegmentSum", "SegmentMean",
        "SegmentMax", "UnsortedSegmentSum", "UnsortedSegmentMax", "BatchToSpaceND", "SpaceToBatchND", "Tile",
        "ConcatV2", "Concat", "Pack", "Unpack", "Transpose", "Where", "GatherV2", "GatherNd", "StridedSlice", "Slice",
        "ExpandDims", "SparseSegmentSum", "SparseSegmentMean", "ScatterNd", "MatMul", "BatchMatMulV2", "Einsum",
        "XlaEinsum", "TopKV2",
    }
)  # fmt: skip
_TRAINS = ("fit", "evaluate", "train_on_batch", "test_on_batch")


@dataclass(frozen=True)
class Folding:
    """How serious it is that a call gave other rows than it took, and the sentence that says why."""

    level: Level
    sentence: str


def folding(recording: Recording, call: Event, birth: dict[str, Any] | None, origin: Location | None) -> Folding:
    """Judge a call whose results have not a row for each row that it took."""
    rows, wrong = call["rows_in"], sorted({n for n in call["rows_out"] if n is not None and n != call["rows_in"]})
    size = call.get("batch_size")
    one_a_batch = bool(size) and size < rows and wrong == [math.ceil(rows / size)]
    trained = _trained_on_rows(recording, call)
    if one_a_batch and trained is not None:
        stretched = f"{trained['method']} gave the same model a target for each row, and the one row was stretched over"
        return Folding("error", f" {stretched} all targets of its batch.")
    several = all(n > rows and n % rows == 0 for n in wrong)
    if several:
        each = _and(n // rows for n in wrong)
        sentence = f" That is {each} rows a sample, which a model may be meant to give."
    elif all(n and rows % n == 0 for n in wrong):
        each = _and(rows // n for n in wrong)
        sentence = f" That is one row for {each} samples, which a model may be meant to give."
    else:
        return Folding("warning", "")
    own = birth is not None and origin is not None and birth.get("op") in _FOLDS
    if own and not several and _melts(birth, rows, wrong):
        return Folding("warning", sentence)
    return Folding("note" if own else "warning", sentence)


def _melts(birth: dict[str, Any] | None, rows: int, wrong: Iterable[int]) -> bool:
    """Whether a reshape put several rows into one without an axis of their own, over which they would be pooled."""
    if birth is None or birth.get("op") != "Reshape":
        return False
    before = next((list(t["shape"]) for t in birth.get("inputs") or () if len(t.get("shape") or ()) > 1), None)
    after = list(birth.get("shape") or ())
    if before is None or len(before) < 2 or len(after) < 2:
        return False
    # Counted in the worker's batch, which may be another than that of the call.
    return all(len(after) <= len(before) and after[1] != rows // n for n in wrong if n and n < rows)


def _trained_on_rows(recording: Recording, call: Event) -> Event | None:
    """A call that trained or tested the same model on arrays of which each has a row for each sample."""
    ended = {(e["pid"], e["call"]) for e in recording.of_kind(schema.CALL) if e["phase"] == "end"}
    for event in recording.of_kind(schema.CALL):
        same = event.get("model") == call.get("model") and event["pid"] == call["pid"]
        if not same or event["phase"] != "begin" or event.get("method") not in _TRAINS:
            continue
        shapes = [i.get("shape") for i in event.get("inputs") or () if isinstance(i, dict)]
        by_row = len(shapes) > 1 and all(s and s[0] == event.get("rows_in") for s in shapes)
        if by_row and (event["pid"], event["call"]) in ended:
            return event
    return None


def _and(numbers: Iterable[int]) -> str:
    return " and ".join(str(n) for n in dict.fromkeys(numbers))
