"""When a graph optimizer of TensorFlow makes the difference between a failure and what the step does op by op.

Where the message names no op that fails by itself, a worker runs the recorded call as TensorFlow rewrites it, and with
single optimizers off (`probes.graph.optimizers`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from xladoctor.diagnosis.again import findings_of, same_words
from xladoctor.diagnosis.basis import OPTIMIZED
from xladoctor.diagnosis.facts import Step
from xladoctor.logs.message import nodes
from xladoctor.model.diagnosis import Finding, Proof
from xladoctor.model.ops import WorkerOp
from xladoctor.recording.run import Event

REQUEST = "optimizers"
WHERE = "worker.jsonl"


def asks(failure: Event | None, op: WorkerOp | None) -> bool:
    """Whether a failure of a plain step names nodes, and none of them is the op that failed for the worker."""
    named = nodes(str((failure or {}).get("message", "")))
    return bool(named) and (op is None or not any(_alike(name, op) for name in named))


def _alike(name: str, op: WorkerOp) -> bool:
    return name == op.node or name.endswith(f"/{op.inner_node}") or op.node.endswith(f"/{name}")


def by_optimizer(finding: Finding, step: Step) -> Finding:
    """A finding with the optimizer that makes the difference, if the worker met the failure of the run."""
    told = _answer(step)
    if told is None or finding.level != "error" or not _is_of(finding, told["every"]):
        return finding
    names = [f"`{name}`" for name in told.get("decisive", ())]
    which = f"with the graph optimizer {' or '.join(names)} off" if names else "with all graph optimizers off"
    without = told["none"]
    details = {
        **finding.details,
        "optimizers": {
            "decisive": list(told.get("decisive", ())),
            "nodes": list(told["every"].get("nodes", ())),
            "nodes_without": list(without.get("nodes", ())),
            "outcome_without": without["outcome"],
        },
    }
    if without["outcome"] == "passed":
        proof = Proof("worker", f"{which} the recorded call passes; with all of them on it fails as in the run", WHERE)
        return replace(
            finding, status="confirmed", basis=OPTIMIZED, details=details, evidence=(*finding.evidence, proof)
        )
    before, after = (", ".join(t.get("nodes", ())) for t in (told["every"], without))
    if not before or not after or before == after:
        return finding
    proof = Proof("worker", f"{which} TensorFlow's message names {after} instead of {before}", WHERE)
    return replace(finding, details=details, evidence=(*finding.evidence, proof))


def _answer(step: Step) -> Mapping[str, Any] | None:
    """What a worker found, if with all optimizers on it met the failure of the run, on values of the run."""
    answers = step.recording.answers(REQUEST, step.capsule) if step.capsule else []
    told = next((a.told for a in answers if a.told), None)
    if told is None or told.get("filled") or not (told.get("every") and told.get("none")):
        return None
    if told["every"]["outcome"] != "failed":
        return None
    return told if same_words(told["every"].get("message"), step.failure) else None


def _is_of(finding: Finding, told: Mapping[str, Any]) -> bool:
    return any(other.slug == finding.slug for other in findings_of(told))
