"""Are the results and the updated weights of a train step finite numbers?"""

from __future__ import annotations

from xladoctor.experiments.outcome import words
from xladoctor.model.replay import Case
from xladoctor.preflight.situation import Situation, Unanswered
from xladoctor.preflight.verdict import Verdict
from xladoctor.protocol import requests

TITLE = "finite losses and gradients"
ORDER = 90
RUNS_STEPS = True


def check(situation: Situation) -> Verdict:
    """Each step at its largest size, run plainly. An assigned variable that is not finite had such a gradient."""
    lines: list[str] = []
    wrong: list[str] = []
    for stage in situation.stages:
        case = stage.cases[0] if stage.cases else Case(None)
        answer = stage.bench.ask(requests.Run(), case)
        if not answer.ok or not answer.result.passed:
            continue
        outputs = answer.result.outputs
        bad = [o.output for o in outputs if o.finite is False]
        lines.append(f"{stage.name}, {words(case)}: {len(outputs)} results, {len(bad)} not finite")
        wrong += [f"{stage.name}: {name}" for name in bad]
    if wrong:
        return Verdict(
            "fail", f"{wrong[0]} is not finite" + (f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""),
            "Check the loss and its inputs: a logarithm of 0, a division, a learning rate.", (),
            tuple(lines + wrong[:20]),
        )  # fmt: skip
    if not lines:
        raise Unanswered("no step could be run")
    return Verdict("pass", "; ".join(lines[:2]), details=tuple(lines))
