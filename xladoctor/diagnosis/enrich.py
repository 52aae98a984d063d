"""What a recording adds to an error that a log shows: where its numbers come from, in which layer it happened, what met
there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from xladoctor.diagnosis.basis import RAN_AGAIN
from xladoctor.diagnosis.facts import Step, first_location, is_user_file, short, user_line
from xladoctor.diagnosis.forward import forward_line
from xladoctor.diagnosis.lookup import graphs_of_functions
from xladoctor.diagnosis.numbers import Explained, coincidences, explain, factor
from xladoctor.diagnosis.places import PlaceCall
from xladoctor.diagnosis.unfinished import Unfinished, unfinished
from xladoctor.model.diagnosis import Finding, Location, Proof
from xladoctor.model.ops import OpInput, WorkerOp
from xladoctor.model.shapes import shape_text
from xladoctor.recording.run import Event, location
from xladoctor.recording.schema import schema

_VERSION = re.compile(r"V\d+$")
_NOT_SIZES = ("slice-out-of-bounds", "index-out-of-range")  # their messages name positions, which need not be recorded


def enrich(finding: Finding, step: Step) -> Finding:
    """An error that a log shows, with what the recording and the worker know of it: numbers, layer, shapes that met."""
    details: dict[str, Any] = dict(finding.details)
    evidence = list(finding.evidence)
    message = finding.message
    op = step.failing_op
    layer, place = finding.layer, finding.location
    numbers = _numbers(finding, step)
    if numbers:
        details["numbers"] = [_number_dict(n) for n in numbers]
        parts = [list(dict.fromkeys((str(n.number), n.product, n.named))) for n in numbers]
        # A number that is only itself explains nothing.
        sentences = [" = ".join(words) for words in parts if len(words) > 1]
        message += f" {'; '.join(sentences)}." if sentences else ""
        refuted = [c for n in numbers for c in coincidences(n)]
        if refuted:
            message += f" ({', '.join(refuted)} would give the same number, but is not the shape that the op got.)"
            details["coincidences"] = refuted
    broken_off = unfinished(step) if op is None else None
    if broken_off is not None and broken_off.node == (finding.node or broken_off.node):
        evidence += broken_off.evidence
    if op is not None and not same_failure(finding, op):
        # What XLA refuses to compile can fail elsewhere, or not at all, when it is run plainly.
        how = "plainly, without XLA," if step.under_xla else "with the graph optimizer off"
        text = f"run {how} the step fails at {op.op} {op.node}: {op.said}"
        evidence.append(Proof("worker", text, "worker.jsonl"))
        details["plain_failure"] = op.part("node", "op", "path", "kind")
        op = None
    if op is not None:
        message += _which_batch(step, details)
        layer = op.layer or layer
        place = step.line_of(finding.node, op.function) or place or user_line(op)
        message += _failing(op, step, layer, details, evidence)
    place = forward_line(step, finding.node) or step.line_of(finding.node) or place
    failure = step.failure
    if place is None and failure is not None:
        place = first_location(failure.get("frames", ()))
    if broken_off is not None and failure is not None:
        place = _near(broken_off, failure, place)
    return replace(
        finding, message=message, details=details, evidence=tuple(evidence), layer=layer, location=place,
        op=finding.op or (op.op if op else None), node=finding.node or (op.node if op else None),
        status="confirmed" if op is not None else finding.status,
        basis=RAN_AGAIN if op is not None else finding.basis,
    )  # fmt: skip


def _near(broken_off: Unfinished, failure: Event, place: Location | None) -> Location | None:
    """The line of the op that could not be made: of its inputs, where the traceback ends in a call of a library."""
    frames = [f for f in failure.get("frames", ()) if f.get("user")]
    near = broken_off.near
    if near is None or any((f.get("file"), f.get("function")) == (near.file, near.function) for f in frames):
        return place
    last = frames[-1] if frames else {}
    of_traceback = place is None or (place.file, place.line) == (last.get("file"), last.get("line"))
    return near if of_traceback else place


def _failing(op: WorkerOp, step: Step, layer: str | None, details: dict[str, Any], evidence: list[Proof]) -> str:
    """What a worker saw of the op that fails: it is put into `details` and `evidence`. Returns the sentence about what
    met there.
    """
    shapes = ", ".join(_op_input(t) for t in op.inputs)
    evidence.append(Proof("worker", f"{op.op} {op.node}: {shapes}", "worker.jsonl"))
    details["failing_op"] = op.part("node", "op", "path", "inner_node", "function", "inputs")
    traced = _first_traced(op, step)
    if traced and _elsewhere(traced, op):
        details["first_traced_by"] = traced
        evidence.append(
            Proof(
                "event",
                f"{op.function} was traced once, from {traced[0]}, and is called from many nodes: the stack "
                "that TensorFlow prints is that of the first trace; the node names show the call that failed",
            )
        )
    met = _around(op, step)
    if met is None:
        return ""
    details["met"] = {
        "place": met.place,
        "inputs": {t.arg: t.runtime or t.static for t in met.inputs},
        "caller": str(met.callers[0]) if met.callers else None,
    }
    text = " against ".join(f"{t.arg} {shape_text(t.runtime or t.static or [])}" for t in met.inputs)
    return f" It happened in {short(met.place)}" + (f" of layer {layer}" if layer else "") + f": {text}."


def _op_input(tensor: OpInput) -> str:
    return shape_text(tensor.shape or ()) + (f" holding {tensor.value}" if tensor.value is not None else "")


def _numbers(finding: Finding, step: Step) -> list[Explained]:
    """The numbers of the message as products of shapes that were seen.

    What a worker saw at the failing op decides; without it, of the shapes that the message prints and then of those at
    places that were entered and not left, the one whose sizes have the most names.
    """
    if finding.slug != "reshape-mismatch":
        # Not a count of elements but the size of an axis.
        sizes = [n for n in dict.fromkeys(finding.dims) if isinstance(n, int) and n > 1]
        # Of contracts that were kept, the axis that happens to be as long explains nothing.
        names = step.names if step.first is not None else ()
        named = [Explained(n, (n,), (factor(n, names),), "a size in the message") for n in sizes]
        return [e for e in named if e.factors[0].names]
    op = step.failing_op
    certain: list[tuple[Sequence[Any], str]] = []
    if op is not None and same_failure(finding, op):
        who = f"{op.inner_node}, the first op to fail when the step is run again"
        for tensor in op.inputs:
            if tensor.sizes is not None:
                certain.append((tensor.sizes, f"asked for by {who}"))
            if tensor.shape is not None:
                certain.append((tensor.shape, f"given to {who}"))
    likely = [*_shapes_in_message(finding), *_shapes_at_places(step)]
    found = []
    for number in dict.fromkeys(n for n in finding.dims if isinstance(n, int) and n > 1):
        # A vector of that length explains nothing.
        sure = [e for s, w in certain if len(s) > 1 and (e := explain(number, s, w, step.names))]
        maybe = [e for s, w in likely if len(s) > 1 and (e := explain(number, s, w, step.names))]
        found.extend(sure[:1] or sorted(maybe, key=_unnamed)[:1])
    return found


def _unnamed(explained: Explained) -> int:
    return sum(not f.names for f in explained.factors if f.size != 1)


def same_failure(finding: Finding, op: WorkerOp) -> bool:
    """Whether the op that failed for the worker is the one that the message speaks of: same op, same sizes."""
    if finding.slug == "reshape-mismatch":
        counts = {count for t in op.inputs if (count := _count(t)) is not None}
        return op.op == "Reshape" and bool(counts.intersection(finding.dims))
    return _base(finding.op) == _base(op.op) and _sizes_agree(finding, op)


def _base(op: str | None) -> str:
    """An op without the number of its version: messages name `Add`, graphs hold `AddV2`."""
    return _VERSION.sub("", op or "")


def _sizes_agree(finding: Finding, op: WorkerOp) -> bool:
    """Whether the op met every size that the message names."""
    met: set[int] = set()
    for tensor in op.inputs:
        met |= {n for n in (*(tensor.shape or ()), _count(tensor), *_flat(tensor.value)) if isinstance(n, int)}
    named = (d if isinstance(d, (list, tuple)) else [d] for d in finding.dims)
    sizes = {n for dims in named for n in dims if isinstance(n, int) and n > 1}
    return not sizes or sizes <= met or finding.slug in _NOT_SIZES


def _count(tensor: OpInput) -> int | None:
    """How many elements it has, where all of its sizes are known."""
    sizes = [n for n in tensor.shape or () if isinstance(n, int)]
    return math.prod(sizes) if tensor.shape is not None and len(sizes) == len(tensor.shape) else None


def _flat(value: object) -> Iterator[object]:
    """The numbers of a value that was recorded, in whatever lists they stand."""
    if isinstance(value, list):
        for part in value:
            yield from _flat(part)
    else:
        yield value


def _shapes_at_places(step: Step) -> Iterator[tuple[Sequence[int], str]]:
    """The shapes at the places in which the step died. A tensor of another layer explains nothing by its size."""
    for call in reversed(step.calls):
        if call.outputs is not None and call.state != "failed":
            continue
        for tensor in (*call.inputs, *(call.outputs or ())):
            shape = tensor.runtime or tensor.static
            if shape and None not in shape:
                yield [n for n in shape if n is not None], f"{tensor.arg} of {short(call.place)}"


def _shapes_in_message(finding: Finding) -> Iterator[tuple[Sequence[int], str]]:
    factors = finding.details.get("factors")
    for shown in (factors or {}).values() if isinstance(factors, dict) else ():
        for item in shown:
            yield item.get("shape", ()), f"{item.get('from')} of the message"


def _number_dict(explained: Explained) -> dict[str, Any]:
    return {
        "number": explained.number,
        "product": explained.product,
        "named": explained.named,
        "shape": list(explained.shape),
        "seen": explained.seen,
        "factors": [
            {
                "size": f.size,
                "ambiguous": f.ambiguous,
                "names": [{"name": n.name, "value": n.value, "by": n.by} for n in f.names],
            }
            for f in explained.factors
            if f.size != 1
        ],
        "not": list(coincidences(explained)),
    }


def _around(op: WorkerOp, step: Step) -> PlaceCall | None:
    """The innermost violated call of a place that led to the failing op: where the wrong shapes met.

    Preferred is a call in the frame of the *caller* of the function that holds the op: its arguments are the user's.
    """
    path, order = op.path, op.order
    led = [
        b.call
        for b in step.broken
        if b.violation.phase == "in" and path[: len(b.call.path)] == b.call.path and b.moment[: len(order)] <= order
    ]
    outside = [c for c in led if len(c.path) < len(path)]
    several = [c for c in outside or led if len(c.inputs) > 1]
    return several[-1] if several else None


def _which_batch(step: Step, details: dict[str, Any]) -> str:
    """A sentence where the batch that fails is not a full one. What a full one does is said if a worker ran one."""
    call, size = step.keras_call or {}, step.failing_batch
    rows, full = call.get("rows_in"), call.get("batch_size")
    if size is None or not rows or not full or size == full:
        return ""
    details["failing_batch"] = size
    if str(call.get("method")).endswith("_on_batch"):
        return ""  # it takes one batch, of whatever size
    if rows < full:
        return f" The only batch has {size} rows, fewer than batch_size = {full}."
    tried = [a for a in step.recording.answers("failing_op", step.capsule) if a.batch == full]
    passes = bool(tried) and all(a.is_nothing for a in tried)
    text = f" It fails in the last batch of {size}: {rows} samples in batches of {full}"
    return f"{text}; a full batch passes." if passes else f"{text}."


def _elsewhere(traced: list[str], op: WorkerOp) -> bool:
    """Whether the call that failed came another way than the first trace of the function."""
    frames = op.call_sources[-1] if op.call_sources else ()
    came = [str(Location(*f)) for f in reversed(frames) if is_user_file(f[0])]
    return any(a != b for a, b in zip(traced, came, strict=False))


def _first_traced(op: WorkerOp, step: Step) -> list[str]:
    """Who traced the function that holds the op, innermost first: the stack that TensorFlow prints, right or wrong."""
    recording = step.recording
    graph = graphs_of_functions(recording).get(str(op.function))
    for event in recording.of_kind(schema.TRACE):
        if graph is not None and event.get("graph") == graph:
            return [str(loc) for f in event.get("frames", ()) if (loc := location(f)) is not None]
    return []
