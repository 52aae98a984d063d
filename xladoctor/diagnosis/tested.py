"""The results of trying remedies (`replay --verify`, `scan --verify`), put into the findings that they belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, get_args

from xladoctor.model.diagnosis import Diagnosis, Finding, Proof, Remedy, Safety
from xladoctor.rules.remedy_tests import REMEDY_TESTS, remedy_of_trial, why_untested

if TYPE_CHECKING:
    from xladoctor.model.replay import Replay, Tested

_ORDER = {"verified": 0, "untested": 1, "failed": 2}


def with_tested(diagnosis: Diagnosis, replays: Sequence[Replay]) -> Diagnosis:
    """The diagnosis with the results of the newest replay that tried remedies; without one, as it is.

    The trials ran on the call that the root is about, so their results stand with the root. A remedy that was tried and
    that no rule names is added. A remedy that was not tried stays untested, with the reason in `details["untested"]`.
    """
    newest = next((r for r in reversed(replays) if r.remedies), None)
    root = diagnosis.root
    if newest is None or root is None:
        return diagnosis
    updated = _with_trials(root, newest.remedies, newest.folder or "replay.json")
    return diagnosis.with_finding(root, updated)


def _with_trials(finding: Finding, trials: Sequence[Tested], folder: str) -> Finding:
    ran = _by_remedy([t for t in trials if t.verdict != "untested"])
    refusals = _by_remedy([t for t in trials if t.verdict == "untested"])
    remedies = [_with_result(r, trial) if (trial := _trial_of(r.id, ran)) else r for r in finding.remedies]
    named = {r.id for r in finding.remedies} | {_same_trial(r.id) for r in finding.remedies}
    remedies += [_as_remedy(id_, trial) for id_, trial in ran.items() if id_ not in named]
    untested = {}
    for remedy in remedies:
        if remedy.result == "untested":
            refusal = _trial_of(remedy.id, refusals)
            untested[remedy.id] = refusal.message if refusal and refusal.message else why_untested(remedy.id)
    cures = [trial.title for trial in ran.values() if trial.verdict == "verified"]
    summary = f"{len(ran)} remedies were tried: " + (f"{', '.join(cures)} cured it" if cures else "none cured it")
    # What is verified is what a reader wants to see first.
    remedies.sort(key=lambda r: _ORDER[r.result])
    return replace(
        finding,
        remedies=tuple(remedies),
        evidence=(*finding.evidence, Proof("worker", summary, folder)),
        details={**finding.details, "untested": untested} if untested else finding.details,
    )


def _by_remedy(trials: Sequence[Tested]) -> dict[str, Tested]:
    """Each trial under the id that its remedy has in a diagnosis; of several of one id the best result."""
    best: dict[str, Tested] = {}
    for trial in trials:
        id_ = remedy_of_trial(trial.remedy)
        if id_ not in best or _ORDER[trial.verdict] < _ORDER[best[id_].verdict]:
            best[id_] = trial
    return best


def _same_trial(remedy: str) -> str | None:
    """The remedy that the same trial tests under its own name (`remove-op` is tried as `move-outside`)."""
    test = REMEDY_TESTS.get(remedy)
    return remedy_of_trial(test.trial) if test and test.trial else None


def _trial_of(remedy: str, trials: Mapping[str, Tested]) -> Tested | None:
    return trials.get(remedy) or trials.get(_same_trial(remedy) or "")


def _with_result(remedy: Remedy, trial: Tested) -> Remedy:
    return replace(
        remedy,
        result=trial.verdict,
        safety=_safety(trial, remedy.safety),
        how=f"{remedy.how} {_what_came(trial)}",
        deviation=trial.deviation,
        speed_ratio=trial.speed_ratio,
    )


def _as_remedy(id_: str, trial: Tested) -> Remedy:
    how = trial.how or ""
    return Remedy(
        id=id_,
        title=trial.title,
        safety=_safety(trial, "risky"),
        how=f"{how[:1].upper()}{how[1:]}. {_what_came(trial)}",
        result=trial.verdict,
        deviation=trial.deviation,
        speed_ratio=trial.speed_ratio,
    )


def _what_came(trial: Tested) -> str:
    """The result of a trial, for the reader."""
    if trial.verdict == "verified":
        result = "Tried: it cures."
    elif trial.result == "cured":
        result = "Tried: no error any more, but"
    else:
        result = f"Tried: {trial.result}."
    message = (trial.message or "").strip().split("\n")[0]
    return f"{result} {message}".strip()


def _safety(trial: Tested, otherwise: Safety) -> Safety:
    if trial.changes_numerics:
        return "changes-numerics"
    return next((known for known in get_args(Safety) if known == trial.safety), otherwise)
