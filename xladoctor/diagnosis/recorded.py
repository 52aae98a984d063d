"""Findings that only a recording can give: a broken contract, lost rows."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from xladoctor.diagnosis.basis import COMPARED, NOT_TESTED, RECORDED_ROWS, RECORDED_SHAPES
from xladoctor.diagnosis.facts import Broken, Step, is_user_file, short, steps, user_line
from xladoctor.diagnosis.folding import folding
from xladoctor.diagnosis.places import PlaceCall, Tensor
from xladoctor.model.diagnosis import Finding, Location, Proof, Remedy
from xladoctor.model.ops import SizeOrigin
from xladoctor.model.shapes import shape_text
from xladoctor.recording.run import Recording, location
from xladoctor.rules import by_slug


def contract_violation(step: Step) -> Finding | None:
    """The first broken contract of a step as a finding, or None where all hold."""
    first = step.first
    if first is None:
        return None
    rule = by_slug("contract-violation")
    call, violation = first.call, first.violation
    name, shape = short(call.place), shape_text(violation.shape)
    verb = "returned" if violation.phase == "out" else "was given"
    axes = _needed(first)
    bound = "; ".join(str(b) for b in axes.values())
    message = f"{name} {verb} {shape} as its {violation.label}; the contract is {call.contract}"
    message += f", with {bound}." if bound else "."
    earlier = [c for c in step.calls if c.after < first.moment and c.state in ("executed", "static-only")]
    if earlier:
        calls = f"All {len(earlier)} calls of places" if len(earlier) > 1 else "The one call of a place"
        message += f" {calls} before it in this step kept {'their contracts' if len(earlier) > 1 else 'its contract'}."
    tensor = _tensor(call, violation.phase, violation.index)
    born = step.sources(tensor.graph, tensor.name) if tensor is not None and violation.phase == "out" else []
    birth = step.birth if violation.phase == "out" else None
    origin = user_line(birth) if birth is not None else None
    if birth is not None:
        message += " " + _birth_sentence(birth, violation.axis, origin)
    frames = [origin] if origin is not None else born or _called_from(call, violation.phase)
    inputs = ", ".join(f"{t.arg} {shape_text(t.runtime or t.static or [])}" for t in call.inputs)
    outputs = ", ".join(shape_text(t.runtime or t.static or []) for t in call.outputs or ()) or "nothing (it failed)"
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
        basis=COMPARED if tensor is not None and tensor.runtime and tensor.graph else RECORDED_SHAPES,
        remedies=(_mend(first, birth, frames[0] if frames else None), *rule.remedies[1:]),
        details={
            "place": call.place,
            "phase": "result" if violation.phase == "out" else "argument",
            "argument": violation.label,
            "contract": call.contract,
            "expected": _expected(first),
            "seen": list(violation.shape),
            "bindings": {b.name: {"value": b.value, "by": b.by} for b in axes.values()},
            "birth": birth.part("op", "node", "shape", "inputs", "loses") if birth is not None else None,
            "violations": len(step.broken),
            "defined": str(call.defined) if call.defined else None,
            "born": [str(f) for f in born[:6]],
            "callers": [str(f) for f in call.callers[:6]],
        },
    )


def broken_quietly(recording: Recording) -> list[Step]:
    """The calls that ended as they should and broke a contract all the same; of each first place one call."""
    found: dict[tuple[str, str], Step] = {}
    for step in steps(recording, every=True):
        if step.why in ("well", "eager") and step.first is not None:
            found.setdefault((step.first.call.place, step.first.violation.phase), step)
    return list(found.values())


def quiet_violation(step: Step) -> Finding | None:
    """The broken contract of a call that ended as it should.

    Contracts of the user's own places are promises, and a broken one is an error though nothing was raised. A built-in
    one is a warning, and only where another call of this run keeps it: else it describes another program.
    """
    finding = contract_violation(step)
    if finding is None or step.first is None:
        return None
    message = f"{finding.message} The call ended without an error."
    return replace(finding, message=message, level="error" if step.owned else "warning")


def unexplaining(finding: Finding) -> Finding:
    """A broken built-in contract whose wrong size is not seen to reach what failed: a note."""
    message = (
        f"{finding.message} The doctor did not show that this size reaches the failure, so it need not be wrong in "
        "this program."
    )
    return replace(
        finding, message=message, level="note", role="consequence", status="untested", remedies=(), basis=NOT_TESTED
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
    birth = step.rows_birth
    origin = user_line(birth) if birth is not None else None
    judged = folding(step.recording, call, birth, origin)
    message = f"{call['method']} of {rows_in} samples returned {out} rows, without any error."
    if batches and wrong == [batches]:
        message += f" That is one row for each of its {batches} batches of {size}."
    message += judged.sentence
    if birth is not None:
        message += " " + _birth_sentence(birth, 0, origin)
    remedies = rule.remedies
    if birth is not None:
        if not step.under_xla:
            # The worker ran it plainly and found the same: there is nothing to compare with.
            remedies = tuple(r for r in remedies if r.id != "compare-paths")
        line = f"{origin.file}:{origin.line}" if origin is not None else birth.node
        remedies = (_mend_birth(birth, line, "the rows", "rows are axis 0"), *remedies)
    if judged.level == "note":
        remedies = ()  # only the reader knows whether anything is wrong
    return Finding(
        code=rule.code,
        slug=rule.slug,
        level=judged.level,
        role="root",
        title=f"{call['method']}: {rows_in} rows in, {out} rows out",
        message=message,
        node=birth.node if birth is not None else None,
        op=birth.op if birth is not None else None,
        layer=birth.layer if birth is not None else None,
        dims=(rows_in, *wrong),
        location=origin or location(call.get("where")),
        evidence=(
            Proof("event", f"{call['method']} of {call.get('model')}: rows in {rows_in}, rows out {rows_out}",
                  f"events-{call['pid']}.jsonl:{call['seq']}"),
        ),
        status="confirmed" if judged.level == "error" else "untested",
        basis=RECORDED_ROWS,
        remedies=remedies,
        details={
            "method": call["method"],
            "model": call.get("model"),
            "rows_in": rows_in,
            "rows_out": rows_out,
            "shapes_out": call.get("shapes_out"),
            "batch_size": size,
            "batches": batches,
            "birth": birth.part("op", "node", "shape", "inputs", "loses") if birth is not None else None,
        },
    )  # fmt: skip


# -- parts ------------------------------------------------------------------------------------------------------------


def _mend(first: Broken, birth: SizeOrigin | None, where: Location | None) -> Remedy:
    """What to do about this very violation."""
    name, violation = short(first.call.place), first.violation
    line = f"{where.file}:{where.line}" if where is not None else name
    if birth is not None:
        return _mend_birth(birth, line, "the size", f"the result of {name} has to be {_expected(first)}")
    if violation.phase == "in":
        how = (
            f"It is {shape_text(violation.shape)}. The contract is {violation.spec}, which is {_expected(first)} here."
        )
        return Remedy("mend-argument", f"Give {name} its {violation.label} in the right shape: {line}", "safe", how)
    how = f"Its arguments keep their contracts and its result is {shape_text(violation.shape)}, not {_expected(first)}."
    return Remedy("mend-place", f"Mend {name}: {line}", "safe", how)


def _mend_birth(birth: SizeOrigin, line: str, size: str, promise: str) -> Remedy:
    """What to do about the op at which a wrong size arose."""
    inputs = " and ".join(shape_text(t.shape) for t in birth.inputs if t.shape and len(t.shape) > 1)
    verb = "loses rows" if birth.loses else f"makes {size}"
    how = f"{birth.op} takes {inputs or 'no rows'} there and gives {shape_text(birth.shape)}; {promise}."
    return Remedy("mend-birth", f"Correct the line that {verb}: {line}", "safe", how)


def _birth_sentence(birth: SizeOrigin, axis: int | None, origin: Location | None) -> str:
    """The op at which the size arose, and what it took and gave."""
    inputs = ", ".join(shape_text(t.shape) for t in birth.inputs if t.shape)
    where = f", {origin}" if origin is not None else ""
    sentence = f"The size {birth.shape[axis or 0]} at axis {axis} arises in {birth.op} {birth.inner_node}{where}: "
    return sentence + f"{inputs or 'no tensor'} in, {shape_text(birth.shape)} out."


def _called_from(call: PlaceCall, phase: str) -> list[Location]:
    """The user's lines that led to the call, where no op tells it: a wrong result is the place's own doing."""
    own = [call.defined] if phase == "out" and call.defined is not None else []
    return [*own, *(c for c in call.callers if is_user_file(c.file))]


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
