"""Evidence in, diagnosis out."""

from __future__ import annotations

from typing import Any

import xladoctor
from xladoctor.diagnosis.causes import main_step, ordered
from xladoctor.diagnosis.facts import Step, steps
from xladoctor.diagnosis.hypotheses import judge
from xladoctor.diagnosis.model import Diagnosis, Finding, Hypothesis, Verdict
from xladoctor.diagnosis.order import setting_findings
from xladoctor.diagnosis.outcome import outcome_notes
from xladoctor.diagnosis.shape_rows import shape_rows
from xladoctor.diagnosis.timeline import settings
from xladoctor.diagnosis.xla import compilations, xla_paths
from xladoctor.evidence.model import Evidence
from xladoctor.rules import findings as log_findings


def diagnose(evidence: Evidence) -> Diagnosis:
    """The diagnosis of one run or one log."""
    looked_at = steps(evidence.run) if evidence.run is not None else []
    about_settings = list(setting_findings(evidence.run)) if evidence.run is not None else []
    findings = ordered(log_findings(evidence), looked_at, about_settings, evidence)
    step = main_step(looked_at)
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
