"""A recorded run in, diagnosis out: what the log says, set beside what was recorded and what a worker answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import xladoctor
from xladoctor.diagnosis import rows
from xladoctor.diagnosis.attempt import Attempts
from xladoctor.diagnosis.basis import grounded
from xladoctor.diagnosis.causes import main_step, ordered
from xladoctor.diagnosis.cells import cells, in_cells
from xladoctor.diagnosis.checked import checks, with_divergences
from xladoctor.diagnosis.datasets import pipelines
from xladoctor.diagnosis.drawn import drawn_apart, draws
from xladoctor.diagnosis.drawn_at_trace import drawn_at_trace
from xladoctor.diagnosis.engine import verdict
from xladoctor.diagnosis.exit_handlers import exit_handlers
from xladoctor.diagnosis.explained import unexplained
from xladoctor.diagnosis.facts import Step, steps
from xladoctor.diagnosis.fitting import fitted, situation
from xladoctor.diagnosis.flipped import flip_notes
from xladoctor.diagnosis.frozen import frozen
from xladoctor.diagnosis.frozen_layers import trainable_too_late
from xladoctor.diagnosis.given_rows import given_rows
from xladoctor.diagnosis.hypotheses import judge
from xladoctor.diagnosis.idle import idle_parts
from xladoctor.diagnosis.isolated import isolations, with_isolations
from xladoctor.diagnosis.kept_in_graph import kept_in_graph
from xladoctor.diagnosis.late_policy import policy_missed
from xladoctor.diagnosis.looked_at import looked_at
from xladoctor.diagnosis.loss_inputs import loss_inputs
from xladoctor.diagnosis.monitors import idle_monitors
from xladoctor.diagnosis.named_test import named_tests
from xladoctor.diagnosis.no_effect import no_effect
from xladoctor.diagnosis.not_finite import with_not_finite
from xladoctor.diagnosis.order import setting_findings
from xladoctor.diagnosis.outcome import outcome_notes
from xladoctor.diagnosis.recorded import broken_quietly
from xladoctor.diagnosis.requests import requests_without_effect
from xladoctor.diagnosis.retraces import as_recorded
from xladoctor.diagnosis.row_source import rows_in_source
from xladoctor.diagnosis.scores import scores
from xladoctor.diagnosis.shape_rows import shape_rows
from xladoctor.diagnosis.shuffled import shuffled_alone
from xladoctor.diagnosis.slips import slips_with_names, source_slips
from xladoctor.diagnosis.splits import splits
from xladoctor.diagnosis.stacks import stacks
from xladoctor.diagnosis.surroundings import surroundings
from xladoctor.diagnosis.tables import tables
from xladoctor.diagnosis.ties import ties
from xladoctor.diagnosis.timeline import settings
from xladoctor.diagnosis.two_ways import ways_apart
from xladoctor.diagnosis.unfinished import unfinished
from xladoctor.diagnosis.unmoved import unmoved
from xladoctor.diagnosis.untrained import gradient_checks, untrained, with_recorded
from xladoctor.diagnosis.watched import place_notes
from xladoctor.diagnosis.weigh import weighed
from xladoctor.diagnosis.xla import compilations, xla_paths
from xladoctor.model.diagnosis import Diagnosis, Finding, Hypothesis
from xladoctor.recording.evidence import Evidence
from xladoctor.recording.run import Recording
from xladoctor.recording.schema import schema
from xladoctor.rules import findings as log_findings
from xladoctor.rules import plugin_problems

_Part = Callable[[Recording], Iterable[Finding]]
_Beside = Callable[[Recording, Sequence[Finding]], Iterable[Finding]]
_OF_RECORDING: tuple[_Part, ...] = (
    ties, draws, drawn_at_trace, pipelines, tables,
    untrained, splits, shuffled_alone, idle_monitors, trainable_too_late, idle_parts, loss_inputs, unmoved, ways_apart,
    unexplained, rows_in_source, no_effect, given_rows, named_tests,
)  # fmt: skip
"""What is looked for in a recording, whatever else was found."""
_BESIDE_OTHERS: tuple[_Beside, ...] = (
    scores,
    slips_with_names,
    kept_in_graph,
    source_slips,
)
"""What is looked for in lines of which nothing else was found."""


def diagnose_run(evidence: Evidence, recording: Recording) -> Diagnosis:
    """The diagnosis of a recorded run."""
    attempts = Attempts()
    followed = steps(recording)
    quiet = broken_quietly(recording)
    logged = with_recorded(as_recorded(weighed(log_findings(evidence), evidence), recording), recording)
    known = ordered(logged, followed, _others(evidence, recording, attempts), evidence, quiet)
    for step in (_with_parity, rows.with_mispairings, with_isolations, with_not_finite):
        known = attempts.of(step, known, known, recording)
    findings = fitted(grounded(known), situation(evidence))
    main = main_step(followed) or next(iter(quiet), None)
    each = attempts.each
    diagnosis = Diagnosis(
        source=evidence.source,
        verdict=verdict(findings),
        findings=findings,
        hypotheses=_hypotheses(main),
        xla_paths=xla_paths(evidence),
        settings=settings(recording),
        shapes=tuple(each(shape_rows, main)) if main is not None else (),
        compilations=compilations(recording),
        stacks=tuple(each(stacks, main, evidence.log)),
        checked=(
            *each(checks, recording),
            *each(rows.checks, recording),
            *each(gradient_checks, recording),
            *each(looked_at, recording, findings),
        ),
        isolated=_isolated(main) or _isolated_after(recording),
        environment=_environment(evidence, recording),
        notes=(
            *evidence.notes,
            *plugin_problems(),
            *outcome_notes(evidence),
            *_step_notes(followed),
            *each(place_notes, recording),
            *each(flip_notes, recording),
            *each(surroundings, recording),
            *attempts.notes,
        ),
        problems=recording.problems,
        tool_version=xladoctor.__version__,
    )
    return in_cells(diagnosis, cells(recording))


def _others(evidence: Evidence, recording: Recording, attempts: Attempts) -> list[Finding]:
    """What concerns no step that failed, each part by itself."""
    each = attempts.each
    found = [*each(setting_findings, recording), *each(requests_without_effect, evidence)]
    found += each(exit_handlers, evidence)
    for part in _OF_RECORDING:
        found += each(part, recording)
    for beside in _BESIDE_OTHERS:
        found += each(beside, recording, tuple(found))
    return found


def _with_parity(known: Sequence[Finding], recording: Recording) -> tuple[Finding, ...]:
    """The findings and what parity shows, with the likely cause of what differs."""
    likely = tuple(drawn_apart(recording)) or tuple(frozen(recording, known)) or tuple(policy_missed(recording, known))
    return with_divergences(known, recording, likely)


def _hypotheses(step: Step | None) -> tuple[Hypothesis, ...]:
    """The claims of the `ptycho` profile, for a run of its programs only."""
    return judge(step) if step is not None and _is_of_profile(step.recording) else ()


def _is_of_profile(recording: Recording) -> bool:
    if any(event.get("module") == "ptycho" for event in recording.of_kind(schema.IMPORT)):
        return True
    places = (*recording.of_kind(schema.PLACE_FOUND), *recording.of_kind(schema.PLACE))
    return any(str(event.get("place")).startswith("ptycho.") for event in places)


def _isolated(step: Step | None) -> dict[str, Any] | None:
    op = step.failing_op if step is not None else None
    if op is None:
        broken_off = unfinished(step) if step is not None else None
        return broken_off.isolated if broken_off is not None else None
    return {
        "op": op.op,
        "node": op.node,
        "inputs": [{"shape": t.shape, "value": t.value} for t in op.inputs],
        "compilations": 0,
    }


def _isolated_after(recording: Recording) -> dict[str, Any] | None:
    """What was isolated after the run, where the plain run of the step showed no op."""
    found = next((found for _, found in isolations(recording)), None)
    if found is None:
        return None
    inputs = [{"shape": t.get("shape"), "value": t.get("value")} for t in found.inputs]
    return {"op": found.op, "node": found.node, "inputs": inputs, "compilations": found.compilations}


def _step_notes(looked_at: list[Step]) -> tuple[str, ...]:
    return tuple(f"no run-time shapes: {s.worker_error}" for s in looked_at if s.worker_error)


def _environment(evidence: Evidence, recording: Recording) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if evidence.process is not None and evidence.process.command:
        found["command"] = list(evidence.process.command)
    if evidence.process is not None and evidence.process.state in ("timed-out", "interrupted"):
        found["stopped"] = evidence.process.state
    if evidence.log.tensorflow_version:
        found["tensorflow"] = evidence.log.tensorflow_version
    start = next(iter(recording.of_kind(schema.START)), None)
    if start is not None:
        found.update({k: start.get(k) for k in ("python", "executable", "cwd")})
    for event in recording.of_kind(schema.IMPORT):
        found[event["module"]] = event.get("version")
        found[f"{event['module']}_file"] = event.get("file")
    places = recording.of_kind(schema.PLACE_FOUND)
    if places:
        found["places"] = {e["place"]: f"{e.get('file')}:{e.get('line')}" for e in places}
    missing = recording.of_kind(schema.PLACE_MISSING)
    if missing:
        found["places_missing"] = {e["place"]: e.get("reason") for e in missing}
    return found
