"""A failure that is about no shape, and that a worker met again: no memory, a value that is not finite, a wrong type.

The recorded call was run once more on its recorded values, without XLA. Where an op of it fails for the same reason,
that reason is tested. Shapes are compared more closely (`enrich.py`).
"""

from __future__ import annotations

from dataclasses import replace

from xladoctor.diagnosis.again import findings_of
from xladoctor.diagnosis.basis import RAN_AGAIN
from xladoctor.diagnosis.facts import Step, user_line
from xladoctor.model.diagnosis import Finding, Proof
from xladoctor.rules import OUTSIDE

_NAMED = OUTSIDE - {"not-finite"}
"""That a call fails again does not show that its cause has no name."""


def failed_alike(finding: Finding, step: Step) -> Finding:
    """A finding of whose class a worker's failure is, on the values of the run."""
    op = step.failing_op
    if op is None or op.filled or finding.level != "error" or finding.status == "confirmed":
        return finding
    if finding.slug in _NAMED or (finding.op is not None and finding.op != op.op):
        return finding
    error = {"kind": op.kind, "message": op.message or ""}
    if not any(other.slug == finding.slug for other in findings_of(error)):
        return finding
    proof = Proof("worker", f"{op.op} {op.node}: {op.said}", "worker.jsonl")
    return replace(
        finding, status="confirmed", basis=RAN_AGAIN, op=op.op, node=finding.node or op.node,
        location=step.line_of(op.node, op.function) or user_line(op) or finding.location,
        evidence=(*finding.evidence, proof),
    )  # fmt: skip
