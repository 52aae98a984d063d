"""Which finding is the cause of which: one root for each thing that went wrong, its consequences after it.

What went wrong once is a group: a failed or silent step with the broken contract, the op that failed and what the log
says of it. Two failures that have nothing to do with each other are two roots, the one that ended the run first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xladoctor.diagnosis.again import compiled_again
from xladoctor.diagnosis.blame import first_to_fail
from xladoctor.diagnosis.enrich import enrich
from xladoctor.diagnosis.facts import Step
from xladoctor.diagnosis.optimizers import by_optimizer
from xladoctor.diagnosis.outcome import interrupted, outcome_findings
from xladoctor.diagnosis.ran_alike import failed_alike
from xladoctor.diagnosis.reach import reaches
from xladoctor.diagnosis.recorded import contract_violation, quiet_violation, rows_lost, unexplaining
from xladoctor.diagnosis.relays import relayed
from xladoctor.diagnosis.remade import made_again
from xladoctor.diagnosis.setting_finding import event_of
from xladoctor.diagnosis.unfinished import unfinished
from xladoctor.diagnosis.weigh import failures_of, handled, survived, uncaught
from xladoctor.model.diagnosis import Finding
from xladoctor.recording.evidence import Evidence
from xladoctor.rules import OUTSIDE

# Errors that a broken contract earlier in the step can explain.
SHAPES = frozenset(
    {
        "reshape-mismatch", "broadcast-mismatch", "concat-pack-mismatch", "matmul-conv-mismatch", "rank-mismatch",
        "slice-out-of-bounds", "index-out-of-range", "keras-input-mismatch",
        "dynamic-dimension-unsupported", "dynamic-padder-ret-check",
        "xla-internal-ret-check", "loop-shape-mismatch", "branch-shape-mismatch", "compile-time-constant",
        "wrong-shape-silent", "wrong-pairing",
    }
)  # fmt: skip


def main_step(steps: Sequence[Step]) -> Step | None:
    """The step that a report is about: of the failure that ended the run, else the first."""
    ended = next((s for s in steps if s.ended_run), steps[0] if steps else None)
    return None if ended is None else relayed(steps).get(id(ended), ended)


def ordered(
    logged: Sequence[Finding],
    steps: Sequence[Step],
    others: Sequence[Finding],
    evidence: Evidence,
    quiet: Sequence[Step] = (),
) -> tuple[Finding, ...]:
    """All findings: groups of errors with their roots first, then warnings and notes.

    `logged` are the rules' findings, likeliest root first; `others` concern no step (settings); `quiet` are
    calls that went well and broke a contract.
    """
    main = main_step(steps)
    errors = [f for f in logged if f.level == "error"]
    rest = [f for f in (*logged, *others) if f.level != "error"]
    relays = relayed(steps)
    belongs = [(f, _step_of(f, steps, main)) for f in errors]
    # What a relay says is a consequence of what it quotes, and comes after it.
    belongs.sort(key=lambda pair: id(pair[1]) in relays)
    belongs = [(f, relays.get(id(of), of)) for f, of in belongs]
    steps = [s for s in steps if id(s) not in relays]
    quoted = {id(s) for s in relays.values()}
    groups = [
        handled_as_warnings(step, _group(step, [f for f, of in belongs if of is step]), id(step) in quoted)
        for step in _main_first(steps, main)
    ]
    groups.append([f for f, of in belongs if of is None])
    groups.extend([f] for f in map(quiet_violation, quiet) if f is not None)
    found: list[Finding] = []
    for group in groups:
        wrong = [f for f in group if f.level == "error"]
        rest += [f for f in group if f.level != "error" and not any(_same(f, known) for known in found)]
        # The same place broken again is no second cause.
        known = bool(wrong) and any(_same(wrong[0], f) for f in found)
        for i, finding in enumerate(wrong):
            if not (known and i == 0):
                found.append(replace(finding, role="root" if i == 0 else "consequence"))
    found = _with_outcome(found, rest, evidence)
    return (*found, *(replace(f, role="consequence" if found else f.role) for f in rest))


def handled_as_warnings(step: Step, group: list[Finding], quoted: bool) -> list[Finding]:
    """What a step shows; as warnings where the program caught its exception, and the run ended for another reason or
    with 0. `quoted`: another process ended with what this one said.
    """
    ends = uncaught(step.recording)
    others_ended = survived(step.recording) or (bool(ends) and step.failure not in ends)
    if step.failure is None or quoted or not others_ended:
        return group
    return [handled(f, step.failure, step.recording) if f.level == "error" else f for f in group]


def _group(step: Step, logged: list[Finding]) -> list[Finding]:
    """What one step shows, its cause first."""
    violation = contract_violation(step)
    if violation is not None and not (
        step.owned or (step.first and reaches(step, step.first, logged, unfinished(step)))
    ):
        violation = unexplaining(violation)
    explains = violation is not None and violation.level == "error"
    if step.why == "rows":
        lost = rows_lost(step)
        if lost is not None and explains:
            # The contract says that rows stay rows.
            lost = replace(lost, level="error", status="confirmed")
        shown = [violation, lost, *logged] if explains else [lost, *logged, violation]
        return [f for f in shown if f is not None]
    first = first_to_fail(step, logged)
    plain = step.recording.answers("failing_op", step.capsule) if step.capsule else []
    said = [compiled_again(enrich(f, step) if f.slug in SHAPES else f, step.compiled_again, plain) for f in logged]
    said = [made_again(f, step) if f.slug in SHAPES else failed_alike(f, step) for f in said]
    said = [by_optimizer(f, step) for f in said]
    shapes = explains and (any(f.slug in SHAPES for f in said) or not said)
    if violation is not None and shapes and _met_inside(step):
        tested = next((n for n, f in enumerate(said) if f.slug in SHAPES and f.status == "confirmed"), None)
        if tested is not None:
            # The op that was made again says what failed; the argument that came with it says no more than why.
            met = replace(said[tested], evidence=(*said[tested].evidence, *violation.evidence))
            return [met, *said[:tested], *said[tested + 1 :]]
    found = [f for f in (violation if shapes else None, first) if f is not None]
    return [*found, *said, *([violation] if violation is not None and not shapes else [])]


def _met_inside(step: Step) -> bool:
    """Whether the first broken contract is a built-in one, of an argument of the very call that failed."""
    first = step.first
    return first is not None and not step.owned and first.violation.phase == "in" and first.call.outputs is None


def _step_of(finding: Finding, steps: Sequence[Step], main: Step | None) -> Step | None:
    """The step that a finding of the log belongs to: by where it stands, by its words, else the main one.

    Several failures of a kind are one finding, which is that of the one that ended the run.
    """
    steps = sorted(steps, key=lambda s: not s.ended_run)
    for step in steps:
        failure = step.failure
        if failure is None:
            continue
        if any(p.where == f"events-{failure['pid']}.jsonl:{failure['seq']}" for p in finding.evidence):
            return step
    for step in steps:
        message = " ".join(str((step.failure or {}).get("message", "")).split())
        texts = [" ".join(p.text.split())[:80] for p in finding.evidence if p.kind == "log"]
        if message and any(len(text) > 12 and text in message for text in texts):
            return step
    failed = main is not None and main.why == "failed"
    return main if failed else None


def _main_first(steps: Sequence[Step], main: Step | None) -> list[Step]:
    return [] if main is None else [main, *(s for s in steps if s is not main)]


def _same(a: Finding, b: Finding) -> bool:
    place = a.details.get("place")
    return place is not None and (a.slug, place, a.details.get("phase")) == (
        b.slug,
        b.details.get("place"),
        b.details.get("phase"),
    )


def _with_outcome(found: list[Finding], rest: list[Finding], evidence: Evidence) -> list[Finding]:
    """How the process ended, where nothing else explains it, or where it is the finding."""
    process = evidence.process
    if process is not None and process.state in ("timed-out", "interrupted"):
        # An abort in the log is the doctor's own doing; the stack that it left says where the run hung.
        ours = [f for f in found if f.slug in OUTSIDE]
        where = next((f.location for f in ours if f.location is not None), None)
        stopped = replace(next(iter(outcome_findings(evidence))), location=where)
        return [stopped, *(f for f in found if f not in ours)]
    if found:
        return [interrupted(f) if f.details.get("kind") == "KeyboardInterrupt" else f for f in found]
    known = {event_of(e) for f in rest for e in failures_of(f, evidence.run)} if evidence.run is not None else set()
    return [f for f in outcome_findings(evidence) if not any(p.where in known for p in f.evidence)]
