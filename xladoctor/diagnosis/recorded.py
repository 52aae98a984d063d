"""Findings that only a recording can give: a broken contract, lost rows, and what they explain of an error."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from xladoctor.diagnosis.contracts import show_shape
from xladoctor.diagnosis.facts import Broken, Step, first_location, is_user_file, short
from xladoctor.diagnosis.model import Finding, Location, Proof
from xladoctor.diagnosis.numbers import Explained, coincidences, explain, factor
from xladoctor.diagnosis.places import PlaceCall, Tensor
from xladoctor.evidence.run import location
from xladoctor.evidence.schema import schema
from xladoctor.rules import by_slug


def contract_violation(step: Step) -> Finding | None:
    """The first broken contract of a step as a finding, or None where all hold."""
    first = step.first
    if first is None:
        return None
    rule = by_slug("contract-violation")
    call, violation = first.call, first.violation
    name, shape = short(call.place), show_shape(violation.shape)
    verb = "returned" if violation.phase == "out" else "was given"
    axes = _needed(first)
    bound = "; ".join(str(b) for b in axes.values())
    message = f"{name} {verb} {shape} as its {violation.label}; the contract is {call.contract}"
    message += f", with {bound}." if bound else "."
    earlier = [c for c in step.calls if c.after < first.moment and c.state in ("executed", "static-only")]
    if earlier:
        message += f" All {len(earlier)} calls of places before it in this step kept their contracts."
    tensor = _tensor(call, violation.phase, violation.index)
    born = step.sources(tensor.graph, tensor.name) if tensor is not None and violation.phase == "out" else []
    birth = step.birth if violation.phase == "out" else None
    origin = _user_line(birth) if birth is not None else None
    if birth is not None:
        message += " " + _birth_sentence(birth, violation.axis, origin)
    frames = [origin] if origin is not None else born or [c for c in call.callers if is_user_file(c.file)]
    inputs = ", ".join(f"{t.arg} {show_shape(t.runtime or t.static or [])}" for t in call.inputs)
    outputs = ", ".join(show_shape(t.runtime or t.static or []) for t in call.outputs or ()) or "nothing (it failed)"
    return Finding(
        code=rule.code,
        slug=rule.slug,
        level="error",
        role="root",
        title=f"{name} breaks its contract: {violation.label} is {shape}, not {_expected(first)}",
        message=message,
        node=tensor.name if tensor is not None else None,
        dims=(list(violation.shape),),
        layer=call.layer,
        location=frames[0] if frames else call.defined,
        evidence=(
            Proof("shape", f"{name}: {inputs} -> {outputs}", f"events-{call.pid}.jsonl:{call.seq}"),
            Proof("shape", violation.reason, "worker.jsonl" if tensor is not None and tensor.runtime else None),
        ),
        status="confirmed",
        remedies=rule.remedies,
        details={
            "place": call.place,
            "phase": "result" if violation.phase == "out" else "argument",
            "argument": violation.label,
            "contract": call.contract,
            "expected": _expected(first),
            "seen": list(violation.shape),
            "bindings": {b.name: {"value": b.value, "by": b.by} for b in axes.values()},
            "birth": {k: birth.get(k) for k in ("op", "node", "shape", "inputs", "loses")} if birth else None,
            "violations": len(step.broken),
            "defined": str(call.defined) if call.defined else None,
            "born": [str(f) for f in born[:6]],
            "callers": [str(f) for f in call.callers[:6]],
        },
    )


def rows_lost(step: Step) -> Finding | None:
    """A `predict` that gave back another number of rows than it took."""
    call = step.keras_call
    if step.why != "rows" or call is None:
        return None
    rule = by_slug("wrong-shape-silent")
    rows_in, rows_out = call["rows_in"], call["rows_out"]
    wrong = sorted({n for n in rows_out if n != rows_in})
    size = call.get("batch_size")
    batches = math.ceil(rows_in / size) if size else None
    out = " and ".join(str(n) for n in wrong)
    message = f"{call['method']} of {rows_in} samples returned {out} rows, without any error."
    if batches and wrong == [batches]:
        message += f" That is one row for each of its {batches} batches of {size}."
    return Finding(
        code=rule.code,
        slug=rule.slug,
        level="error",
        role="root",
        title=f"{call['method']}: {rows_in} rows in, {out} rows out",
        message=message,
        dims=(rows_in, *wrong),
        location=location(call.get("where")),
        evidence=(
            Proof("event", f"{call['method']} of {call.get('model')}: rows in {rows_in}, rows out {rows_out}",
                  f"events-{call['pid']}.jsonl:{call['seq']}"),
        ),
        status="confirmed",
        remedies=rule.remedies,
        details={
            "method": call["method"],
            "model": call.get("model"),
            "rows_in": rows_in,
            "rows_out": rows_out,
            "shapes_out": call.get("shapes_out"),
            "batch_size": size,
            "batches": batches,
        },
    )  # fmt: skip


def enrich(finding: Finding, step: Step) -> Finding:
    """An error that a log shows, with what the recording and the worker know of it: numbers, layer, shapes that met."""
    from dataclasses import replace

    details: dict[str, Any] = dict(finding.details)
    evidence = list(finding.evidence)
    message = finding.message
    op = step.failing_op
    layer, place = finding.layer, finding.location
    numbers = _numbers(finding, step)
    if numbers:
        details["numbers"] = [_number_dict(n, step) for n in numbers]
        sentences = [" = ".join(dict.fromkeys((str(n.number), n.product, n.named))) for n in numbers]
        message += " " + "; ".join(sentences) + "."
        refuted = [c for n in numbers for c in coincidences(n.number, n.shape)]
        if refuted:
            message += f" ({', '.join(refuted)} would give the same number, but is not what the op was asked for.)"
            details["coincidences"] = refuted
    if op is not None and not _same_failure(finding, op):
        # What XLA refuses to compile can fail elsewhere, or not at all, when it is run plainly.
        said = next(iter(str(op.get("message", "")).splitlines()), "")
        text = f"run plainly, without XLA, the step fails at {op['op']} {op['node']}: {said}"
        evidence.append(Proof("worker", text, "worker.jsonl"))
        details["plain_failure"] = {k: op.get(k) for k in ("node", "op", "path", "kind")}
        op = None
    if op is not None:
        shapes = ", ".join(_op_input(t) for t in op.get("inputs", ()))
        evidence.append(Proof("worker", f"{op['op']} {op['node']}: {shapes}", "worker.jsonl"))
        details["failing_op"] = {k: op.get(k) for k in ("node", "op", "path", "inner_node", "function", "inputs")}
        message += _which_batch(step, details)
        layer = _layer_of(op) or layer
        place = _user_line(op) or place
        traced = _first_traced(op, step)
        if traced:
            details["first_traced_by"] = traced
            evidence.append(
                Proof(
                    "event",
                    f"{op.get('function')} was traced once, from {traced[0]}, and is called from many nodes: the stack "
                    "that TensorFlow prints is that of the first trace; the node names show the call that failed",
                )
            )
        met = _around(op, step)
        if met is not None:
            text = " against ".join(f"{t.arg} {show_shape(t.runtime or t.static or [])}" for t in met.inputs)
            message += f" It happened in {short(met.place)}" + (f" of layer {layer}" if layer else "") + f": {text}."
            details["met"] = {
                "place": met.place,
                "inputs": {t.arg: t.runtime or t.static for t in met.inputs},
                "caller": str(met.callers[0]) if met.callers else None,
            }
    failure = step.failure
    if place is None and failure is not None:
        place = first_location(failure.get("frames", ()))
    return replace(
        finding, message=message, details=details, evidence=tuple(evidence), layer=layer, location=place,
        op=finding.op or (op or {}).get("op"), node=(op or {}).get("node") or finding.node,
        status="confirmed" if op is not None else finding.status,
    )  # fmt: skip


# -- parts ------------------------------------------------------------------------------------------------------------


def _birth_sentence(birth: dict[str, Any], axis: int | None, origin: Location | None) -> str:
    """The op at which the size arose, and what it took and gave."""
    inputs = ", ".join(show_shape(t.get("shape") or []) for t in birth.get("inputs", ()) if t.get("shape"))
    where = f", {origin}" if origin is not None else ""
    sentence = (
        f"The size {birth['shape'][axis or 0]} at axis {axis} arises in {birth['op']} {birth['inner_node']}{where}: "
    )
    return sentence + f"{inputs or 'no tensor'} in, {show_shape(birth['shape'])} out."


def _needed(first: Broken) -> dict[str, Any]:
    axes = " ".join(first.violation.spec.axes)
    return {n: b for n, b in sorted(first.bindings.items()) if n in axes}


def _expected(first: Broken) -> str:
    from xladoctor.diagnosis.contracts import evaluate

    values = {n: b.value for n, b in first.bindings.items()}
    sizes = []
    for axis in first.violation.spec.axes:
        known = None if axis == "..." else evaluate(axis, values)
        sizes.append(axis if known is None else str(known))
    return f"({' '.join(sizes)})"


def _tensor(call: PlaceCall, phase: str, index: int) -> Tensor | None:
    tensors = call.inputs if phase == "in" else call.outputs or ()
    return tensors[index] if index < len(tensors) else None


def _op_input(tensor: dict[str, Any]) -> str:
    value = tensor.get("value")
    return f"{show_shape(tensor.get('shape') or [])}" + (f" holding {value}" if value is not None else "")


def _numbers(finding: Finding, step: Step) -> list[Explained]:
    """The numbers of the message as products of shapes that were seen.

    What a worker saw at the failing op decides; without it, of all shapes seen at places or printed by the message, the
    one whose sizes have the most names.
    """
    if finding.slug != "reshape-mismatch":
        # Not a count of elements but the size of an axis.
        sizes = [n for n in dict.fromkeys(finding.dims) if isinstance(n, int) and n > 1]
        named = [Explained(n, (n,), (factor(n, step.names),), "a size in the message") for n in sizes]
        return [e for e in named if e.factors[0].names]
    certain: list[tuple[Sequence[int], str]] = []
    for tensor in (step.failing_op or {}).get("inputs", ()):
        value, shape = tensor.get("value"), tensor.get("shape")
        if isinstance(value, list) and value and all(isinstance(n, int) and n >= 0 for n in value):
            certain.append((value, "asked for by the failing op"))
        if isinstance(shape, list):
            certain.append((shape, "given to the failing op"))
    likely = [*_shapes_at_places(step), *_shapes_in_message(finding)]
    found = []
    for number in dict.fromkeys(n for n in finding.dims if isinstance(n, int) and n > 1):
        # A vector of that length explains nothing.
        sure = [e for s, w in certain if len(s) > 1 and (e := explain(number, s, w, step.names))]
        maybe = [e for s, w in likely if len(s) > 1 and (e := explain(number, s, w, step.names))]
        best = sure[:1] or sorted(maybe, key=lambda e: sum(not f.names for f in e.factors if f.size != 1))[:1]
        found.extend(best)
    return found


def _same_failure(finding: Finding, op: dict[str, Any]) -> bool:
    """Whether the op that failed for the worker is the one that the message speaks of: same op, same sizes."""
    if finding.slug == "reshape-mismatch":
        counts = {math.prod(t["shape"]) for t in op.get("inputs", ()) if isinstance(t.get("shape"), list)}
        return op["op"] == "Reshape" and bool(counts.intersection(finding.dims))
    return bool(finding.op == op["op"])


def _shapes_at_places(step: Step) -> Iterator[tuple[Sequence[int], str]]:
    for call in reversed(step.calls):
        for tensor in (*call.inputs, *(call.outputs or ())):
            shape = tensor.runtime or tensor.static
            if shape and None not in shape:
                yield [n for n in shape if n is not None], f"{tensor.arg} of {short(call.place)}"


def _shapes_in_message(finding: Finding) -> Iterator[tuple[Sequence[int], str]]:
    factors = finding.details.get("factors")
    for shown in (factors or {}).values() if isinstance(factors, dict) else ():
        for item in shown:
            yield item.get("shape", ()), f"{item.get('from')} of the message"


def _number_dict(explained: Explained, step: Step) -> dict[str, Any]:
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
        "not": list(coincidences(explained.number, explained.shape)),
    }


def _layer_of(op: dict[str, Any]) -> str | None:
    """The name scope of the outermost call node that is not just the step itself."""
    for node in op.get("path", ()):
        if "/" in node:
            return str(node).rpartition("/")[0]
    scope = str(op.get("inner_node") or "").rpartition("/")[0]
    return scope or None


def _user_line(op: dict[str, Any]) -> Location | None:
    for frame in reversed(op.get("sources") or ()):
        if is_user_file(frame[0]):
            return Location(frame[0], frame[1], frame[2])
    return None


def _around(op: dict[str, Any], step: Step) -> PlaceCall | None:
    """The innermost violated call of a place that led to the failing op: where the wrong shapes met.

    Preferred is a call in the frame of the *caller* of the function that holds the op: its arguments are the user's.
    """
    path, order = tuple(op.get("path", ())), tuple(op.get("order", ()))
    led = [
        b.call
        for b in step.broken
        if b.violation.phase == "in" and path[: len(b.call.path)] == b.call.path and b.moment[: len(order)] <= order
    ]
    outside = [c for c in led if len(c.path) < len(path)]
    several = [c for c in outside or led if len(c.inputs) > 1]
    return several[-1] if several else None


def _which_batch(step: Step, details: dict[str, Any]) -> str:
    """A sentence where only the last, partial batch fails."""
    call, size = step.keras_call or {}, step.failing_batch
    rows, full = call.get("rows_in"), call.get("batch_size")
    if size is None or not rows or not full or size == full:
        return ""
    details["failing_batch"] = size
    return f" It fails in the last batch of {size}: {rows} samples in batches of {full}; a full batch passes."


def _first_traced(op: dict[str, Any], step: Step) -> list[str]:
    """Who traced the function that holds the op, innermost first: the stack that TensorFlow prints, right or wrong."""
    recording = step.recording
    graphs = {e["function"]: e["graph"] for e in recording.of_kind(schema.GRAPH)}
    graph = graphs.get(op.get("function"))
    for event in recording.of_kind(schema.TRACE):
        if graph is not None and event.get("graph") == graph:
            return [str(loc) for f in event.get("frames", ()) if (loc := location(f)) is not None]
    return []
