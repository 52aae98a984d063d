"""Evidence in, diagnosis out: findings from logs and from recordings, ordered into one root and its consequences."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import xladoctor
from xladoctor.diagnosis.enrich import enrich
from xladoctor.diagnosis.facts import Step, steps
from xladoctor.diagnosis.hypotheses import judge
from xladoctor.diagnosis.model import Diagnosis, Finding, Hypothesis, Verdict
from xladoctor.diagnosis.order import setting_findings
from xladoctor.diagnosis.outcome import outcome_findings, outcome_notes
from xladoctor.diagnosis.recorded import contract_violation, rows_lost
from xladoctor.diagnosis.shape_rows import shape_rows
from xladoctor.diagnosis.timeline import settings
from xladoctor.diagnosis.xla import compilations, xla_paths
from xladoctor.evidence.model import Evidence
from xladoctor.rules import findings as log_findings


def diagnose(evidence: Evidence) -> Diagnosis:
    """The diagnosis of one run or one log."""
    logged = _from_log(evidence)
    looked_at = steps(evidence.run) if evidence.run is not None else []
    findings = _order([*_merge(logged, looked_at), *_from_settings(evidence)], evidence)
    step = looked_at[0] if looked_at else None
    return Diagnosis(
        source=evidence.source,
        verdict=_verdict(findings),
        findings=findings,
        hypotheses=_hypotheses(step),
        xla_paths=xla_paths(evidence),
        settings=settings(evidence.run) if evidence.run is not None else (),
        shapes=shape_rows(step) if step is not None else (),
        compilations=compilations(evidence.run) if evidence.run is not None else (),
        isolated=_isolated(step),
        environment=_environment(evidence),
        notes=(*evidence.notes, *outcome_notes(evidence), *_step_notes(looked_at), *_place_notes(evidence)),
        problems=evidence.run.problems if evidence.run is not None else (),
        tool_version=xladoctor.__version__,
    )


def _from_log(evidence: Evidence) -> list[Finding]:
    return list(log_findings(evidence))


def _merge(logged: list[Finding], looked_at: list[Step]) -> list[Finding]:
    """Recorded findings first (they name causes), then what the log says, enriched by the step that failed."""
    found: list[Finding] = []
    failed = next((s for s in looked_at if s.why == "failed"), None)
    if failed is not None:
        logged = [enrich(f, failed) if f.level == "error" and f.slug in _SHAPES else f for f in logged]
    for step in looked_at:
        violation = contract_violation(step)
        lost = rows_lost(step)
        if violation is not None and not any(_same(violation, f) for f in found):
            found.append(violation)
        if lost is not None:
            found.append(lost)
    return [*found, *logged]


def _from_settings(evidence: Evidence) -> list[Finding]:
    return list(setting_findings(evidence.run)) if evidence.run is not None else []


# Errors that a broken contract earlier in the step can explain.
_SHAPES = frozenset(
    {
        "reshape-mismatch", "broadcast-mismatch", "concat-pack-mismatch", "matmul-conv-mismatch", "rank-mismatch",
        "slice-out-of-bounds", "keras-input-mismatch", "dynamic-dimension-unsupported", "dynamic-padder-ret-check",
        "xla-internal-ret-check", "loop-shape-mismatch", "branch-shape-mismatch", "compile-time-constant",
        "wrong-shape-silent", "wrong-pairing",
    }
)  # fmt: skip


def _order(findings: list[Finding], evidence: Evidence) -> tuple[Finding, ...]:
    errors = [f for f in findings if f.level == "error"]
    rest = [f for f in findings if f.level != "error"]
    contract = next((f for f in errors if f.slug == "contract-violation"), None)
    if contract is not None and any(f.slug in _SHAPES for f in errors):
        root: Finding | None = contract
    else:
        root = contract or next((f for f in errors if f.role == "root"), errors[0] if errors else None)
    if not errors:
        errors = list(outcome_findings(evidence))
        root = errors[0] if errors else None
    elif evidence.process is not None and evidence.process.state == "timed-out":
        # The abort in the log is the doctor's own doing; the stack that it left says where the run hung.
        ours = [f for f in errors if f.slug == "not-xla"]
        where = next((f.location for f in ours if f.location is not None), None)
        root = replace(next(iter(outcome_findings(evidence))), location=where)
        errors = [root, *(f for f in errors if f not in ours)]
    ordered = [replace(f, role="root" if f is root else "consequence") for f in _root_first(errors, root)]
    return (*ordered, *(replace(f, role="consequence" if ordered else f.role) for f in rest))


def _root_first(errors: list[Finding], root: Finding | None) -> Iterable[Finding]:
    if root is not None:
        yield root
    yield from (f for f in errors if f is not root)


def _same(a: Finding, b: Finding) -> bool:
    return (a.slug, a.details.get("place"), a.details.get("phase")) == (
        b.slug,
        b.details.get("place"),
        b.details.get("phase"),
    )


def _verdict(findings: tuple[Finding, ...]) -> Verdict:
    levels = {f.level for f in findings}
    return "failed" if "error" in levels else "warnings" if "warning" in levels else "healthy"


def _hypotheses(step: Step | None) -> tuple[Hypothesis, ...]:
    return judge(step) if step is not None else ()


def _isolated(step: Step | None) -> dict[str, Any] | None:
    op = step.failing_op if step is not None else None
    if op is None:
        return None
    return {
        "op": op["op"],
        "node": op["node"],
        "inputs": [{"shape": t.get("shape"), "value": t.get("value")} for t in op.get("inputs", ())],
        "compilations": 0,
    }


def _step_notes(looked_at: list[Step]) -> tuple[str, ...]:
    return tuple(f"no run-time shapes: {s.worker_error}" for s in looked_at if s.worker_error)


def _place_notes(evidence: Evidence) -> tuple[str, ...]:
    if evidence.run is None:
        return ()
    from xladoctor.diagnosis.watched import place_notes

    return place_notes(evidence.run)


def _environment(evidence: Evidence) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if evidence.process is not None and evidence.process.command:
        found["command"] = list(evidence.process.command)
    if evidence.log.tensorflow_version:
        found["tensorflow"] = evidence.log.tensorflow_version
    if evidence.run is not None:
        found.update(evidence.run.run.get("environment_facts", {}))
        from xladoctor.evidence.schema import schema

        start = next(iter(evidence.run.of_kind(schema.START)), None)
        if start is not None:
            found.update({k: start.get(k) for k in ("python", "executable", "cwd")})
        for event in evidence.run.of_kind(schema.IMPORT):
            found[event["module"]] = event.get("version")
            found[f"{event['module']}_file"] = event.get("file")
        places = evidence.run.of_kind(schema.PLACE_FOUND)
        if places:
            found["places"] = {e["place"]: f"{e.get('file')}:{e.get('line')}" for e in places}
        missing = evidence.run.of_kind(schema.PLACE_MISSING)
        if missing:
            found["places_missing"] = {e["place"]: e.get("reason") for e in missing}
    return found
