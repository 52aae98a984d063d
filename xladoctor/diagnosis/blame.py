"""When TensorFlow blames the wrong node.

In plain mode the graph optimizer folds the static shapes that a graph claims into constants; a wrong shape then
surfaces in a node further on (often a gradient's), and that one is named. A worker that runs the same step with the
optimizer off sees the op that fails first. Both are told: the one that fails is the cause, the one that was named its
consequence.
"""

from __future__ import annotations

from dataclasses import replace

from xladoctor.diagnosis.enrich import enrich, same_failure
from xladoctor.diagnosis.facts import Step
from xladoctor.model.diagnosis import Finding, Proof
from xladoctor.model.evidence import ErrorRecord, LogEvidence
from xladoctor.recording.evidence import Evidence
from xladoctor.rules import findings as log_findings

# What an op says of the shapes that it gets when it runs. Errors of the compiler are no such thing: what XLA refuses to
# compile
# can run plainly, or fail elsewhere.
RUN_TIME = frozenset(
    {
        "reshape-mismatch",
        "broadcast-mismatch",
        "concat-pack-mismatch",
        "matmul-conv-mismatch",
        "rank-mismatch",
        "slice-out-of-bounds",
        "index-out-of-range",
    }
)
_SAID = RUN_TIME | {"keras-input-mismatch"}
"""What the op that fails first can say: labels and logits meet in an op of their own."""


def first_to_fail(step: Step, logged: list[Finding]) -> Finding | None:
    """The op that fails first as a finding of its own, if the message named another one; else None."""
    op = step.failing_op
    blamed = [f for f in logged if f.level == "error" and f.slug in RUN_TIME]
    if op is None or not blamed or step.under_xla or any(same_failure(f, op) for f in blamed):
        return None
    record = ErrorRecord(
        text=op.message or "",
        exception=op.kind,
        where="worker.jsonl",
        nodes=(op.node,),
        op=op.op,
    )
    evidence = Evidence("worker.jsonl", log=LogEvidence(source="worker.jsonl", records=(record,)))
    found = next((f for f in log_findings(evidence) if f.level == "error" and f.slug in _SAID), None)
    if found is None:
        return None
    told = blamed[0]
    if told.node == op.node and told.op == op.op:
        return None  # the same op, of which the message tells something that was not recorded
    note = (
        f"TensorFlow's message names {told.op or 'another op'} {told.node or ''}".rstrip()
        + "; without the graph optimizer, the step fails here."
    )
    # Nothing that the message said of the other node belongs to this one.
    own = replace(found, layer=None, location=None, node=op.node, op=op.op, evidence=())
    full = enrich(own, step)
    return replace(
        full,
        role="root",
        message=f"{full.message} {note}",
        evidence=(Proof("worker", (op.message or "").strip(), "worker.jsonl"), *full.evidence),
    )
