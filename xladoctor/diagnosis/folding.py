"""Rows that a call did not give back: lost, or folded on purpose.

A model may pool bags of rows, score every time step or read out a graph: its own reshape or reduction says so, and no
run can say that it should not. What is wrong is wrong where the result meets something that has a row for each sample:
one row for each batch is stretched over all targets of the batch, and the loss is that of nobody's model.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable
from dataclasses import dataclass

from xladoctor.diagnosis.own_source import source_of
from xladoctor.model.diagnosis import Level, Location
from xladoctor.model.ops import SizeOrigin
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema
from xladoctor.sources.names import nodes_of, walk

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
_LAYS_OUT = frozenset({"reshape", "split", "array_split", "rearrange", "reduce", "reduceat"})
_TRAINS = ("fit", "evaluate", "train_on_batch", "test_on_batch")


@dataclass(frozen=True)
class Folding:
    """How serious it is that a call gave other rows than it took, and the sentence that says why."""

    level: Level
    sentence: str


def folding(recording: Recording, call: Event, birth: SizeOrigin | None, origin: Location | None) -> Folding:
    """Judge a call whose results do not have a row for each row that it took."""
    rows, wrong = call["rows_in"], sorted({n for n in call["rows_out"] if n is not None and n != call["rows_in"]})
    size = call.get("batch_size")
    one_a_batch = bool(size) and size < rows and wrong == [math.ceil(rows / size)]
    trained = _trained_on_rows(recording, call)
    if one_a_batch and trained is not None:
        stretched = (
            f"{trained['method']} gave the same model a target for each row, so that the one row was broadcast to"
        )
        return Folding("error", f" {stretched} all targets of its batch.")
    several = all(n > rows and n % rows == 0 for n in wrong)
    if several:
        each = _and(n // rows for n in wrong)
        sentence = f" That is {each} rows for each sample, which may be intended."
    elif all(n and rows % n == 0 for n in wrong):
        each = _and(rows // n for n in wrong)
        sentence = f" That is one row for {each} samples, which may be intended."
    else:
        return Folding("warning", "")
    if several and trained is not None and not _laid_out_again(recording, call):
        return Folding("warning", f"{sentence} But {trained['method']} gave it one target for each.")
    own = birth is not None and origin is not None and birth.op in _FOLDS
    if own and not several and _melts(birth, rows, wrong):
        return Folding("warning", sentence)
    return Folding("note" if own else "warning", sentence)


def _laid_out_again(recording: Recording, call: Event) -> bool:
    """Whether the program gives the result an axis for the rows of a sample; where its source is not known it may."""
    begun = (e for e in recording.of_kind(schema.CALL) if e["phase"] == "begin" and e["pid"] == call["pid"])
    at = location(next((e for e in begun if e["call"] == call["call"]), call).get("where"))
    source = source_of(recording, at.file) if at is not None else None
    if source is None or at is None or not at.line:
        return True
    around = (n for n in nodes_of(source.tree, ast.stmt) if n.lineno <= at.line <= (n.end_lineno or 0))
    statement = max(around, key=lambda n: n.lineno, default=None)
    if statement is None:
        return True
    names = {n.id for n in nodes_of(statement, ast.Name) if isinstance(n.ctx, ast.Store)}
    for node in nodes_of(source.tree, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in _LAYS_OUT:
            within = statement.lineno <= node.lineno <= (statement.end_lineno or 0)
            if within or any(isinstance(n, ast.Name) and n.id in names for n in walk(node)):
                return True
    return False


def _melts(birth: SizeOrigin | None, rows: int, wrong: Iterable[int]) -> bool:
    """Whether a reshape put several rows into one without an axis of their own, over which they would be pooled."""
    if birth is None or birth.op != "Reshape":
        return False
    before = next((t.shape for t in birth.inputs if t.shape and len(t.shape) > 1), None)
    after = birth.shape
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
