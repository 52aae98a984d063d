"""Does each batch size of the study go through each step, with its contracts kept and its rows returned?"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from xladoctor import paths
from xladoctor.experiments.judge import judged
from xladoctor.experiments.outcome import Attempt, words
from xladoctor.model.replay import Case, Outcome
from xladoctor.preflight.situation import Situation, Stage
from xladoctor.preflight.verdict import Verdict, explained
from xladoctor.workers.classify import gist

TITLE = "every batch size, traced, compiled and run"
ORDER = 80
RUNS_STEPS = True


def check(situation: Situation) -> Verdict:
    """Each step at each size: plainly, and under XLA where the study takes it.

    What the rehearsal ran is not compiled again: its outcome under XLA is known, and only contracts and rows are not.
    """
    outcomes: list[tuple[Stage, Outcome]] = []
    for stage in situation.stages:
        outcomes += [(stage, o) for o in judged(_all_tried(situation, stage), stage.by_row)]
    lines = tuple(f"{stage.name}, {words(o.case)}: {o.state}{_why(o) or _how(stage, o)}" for stage, o in outcomes)
    bad = [(s, o) for s, o in outcomes if o.bad and not _contradicted(s, o)]
    if bad:
        stage, outcome = bad[0]
        slug = _slug(outcome)
        return Verdict(
            "fail", f"{stage.name} at {words(outcome.case)}: {outcome.state}{_why(outcome)}",
            explained(slug), (slug,) if explained(slug) and slug else (), lines,
        )  # fmt: skip
    untried = [(s, o) for s, o in outcomes if o.bad or (o.state == "refused" and not _ran(s, o))]
    if untried:
        stage, outcome = untried[0]
        message = f"{stage.name} at {words(outcome.case)} cannot be tried by itself: {gist(outcome.message)}"
        return Verdict("unchecked", message, "Give the step as a callable: subject in the study file.", (), lines)
    if not outcomes:
        return Verdict("unchecked", "no size is known to try", None)
    by_itself = sum(o.state != "refused" for _, o in outcomes)
    if by_itself < len(outcomes):
        rest = len(outcomes) - by_itself
        return Verdict("pass", f"{by_itself} of {len(outcomes)} pass; {rest} ran in the rehearsal only", details=lines)
    return Verdict("pass", f"{len(outcomes)} of {len(outcomes)} pass", details=lines)


def _ran(stage: Stage, outcome: Outcome) -> bool:
    """Whether the rehearsal ran the step at this size, and passed."""
    return outcome.case.batch in stage.rehearsed


def _how(stage: Stage, outcome: Outcome) -> str:
    return " (as compiled: in the rehearsal)" if outcome.case.batch in stage.compiled else ""


def _contradicted(stage: Stage, outcome: Outcome) -> bool:
    """A step that fails by itself, where the program came through the same size: the defect is one of the doctor's.
    Rows that are lost are no such thing: the program does not see them.
    """
    return outcome.state != "silent" and _ran(stage, outcome)


def _all_tried(situation: Situation, stage: Stage) -> list[Outcome]:
    """The outcome of each size; at once where the workers of a cluster are there for it."""

    def one(case: Case) -> Outcome:
        situation.say(f"running {stage.name} at {words(case)}")
        return _tried(stage, case)

    if stage.bench.jobs == 1:
        return [one(case) for case in stage.cases]
    with ThreadPoolExecutor(stage.bench.jobs) as threads:
        try:
            return list(threads.map(one, stage.cases))
        except BaseException:
            for bench in (stage.bench, *stage.others):
                bench.stop()
            threads.shutdown(cancel_futures=True)
            raise


def _tried(stage: Stage, case: Case) -> Outcome:
    """The outcome of a size; of a graph that is fixed to another one, by the trace that Keras made for this size."""
    plain = case.batch in stage.compiled
    outcome = Attempt(stage.bench)(case, plain=plain)
    for bench in stage.others:
        if outcome.state != "refused":
            break
        outcome = Attempt(bench)(case, plain=plain)
    return outcome


def _slug(outcome: Outcome) -> str | None:
    if outcome.state == "silent":
        return "contract-violation" if outcome.place else "wrong-shape-silent"
    return outcome.signature.slug if outcome.signature else None


def _why(outcome: Outcome) -> str:
    if outcome.state == "silent":
        return f", {outcome.place}" if outcome.place else f", {outcome.rows_in} rows in, {outcome.rows_out} out"
    return f", {gist(outcome.message)}{_where(outcome)}" if outcome.message else ""


def _where(outcome: Outcome) -> str:
    """The op that failed and the user's line, as far as they are known."""
    # Of a worker that died, the signal stands in the place of an op.
    op = outcome.signature.op if outcome.signature and outcome.state == "failed" else None
    near = (outcome.location or "").removeprefix(f"{paths.here()}/")
    known = [part for part in (f"op {op}" if op else None, near) if part]
    return f" ({', '.join(known)})" if known else ""
