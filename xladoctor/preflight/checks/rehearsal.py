"""Does the study come through its training, validation and prediction, on the path that it will take?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from xladoctor.model.diagnosis import Finding
from xladoctor.preflight.plan import unseen
from xladoctor.preflight.refused import Refused, refused_path
from xladoctor.preflight.situation import Situation
from xladoctor.preflight.verdict import Verdict, details, of_findings
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema
from xladoctor.rules import OUTSIDE

TITLE = "training, validation and prediction"
ORDER = 40

_CALLS = ("fit", "evaluate", "predict")
_OWN = OUTSIDE
"""What is no failure of TensorFlow's: the program's own, which may come of a training that was cut short."""

_QUIET = frozenset({"contract-violation", "wrong-shape-silent"})
"""What can be wrong in a call that ends as if all were well."""


@dataclass(frozen=True)
class _Rehearsed:
    """A rehearsal, as the verdict needs it."""

    recording: Recording
    findings: tuple[Finding, ...]
    timeout: float
    which_batch: Callable[[], str | None]

    @property
    def events(self) -> list[Event]:
        return list(self.recording.of_kind(schema.REHEARSAL))

    @property
    def cut(self) -> bool:
        """Whether something of the program's training was left out."""
        return any(e.get("cut") for e in self.events)

    @property
    def stopped(self) -> str | None:
        """Why the doctor ended it: it had seen enough ("calls", "grace", "repeats"), or it was too slow ("seconds")."""
        return next((str(e["stopped"]) for e in self.events if e.get("stopped")), None)

    @property
    def died(self) -> str | None:
        """How it ended where that is a failure."""
        outcome = self.recording.outcome
        if outcome is None or outcome.state == "timed-out" or (outcome.state == "exited" and outcome.code == 0):
            return None
        return (
            f"exit status {outcome.code}" if outcome.state == "exited" else f"signal {outcome.signal or outcome.state}"
        )

    @property
    def not_finite(self) -> str | None:
        """The loss that was no finite number, and when."""
        event = next((e for e in self.events if e.get("not_finite")), None)
        if event is None:
            return None
        value = {"nan": "NaN"}.get(str(event["value"]), str(event["value"]))
        when = [f"{key} {event[key]}" for key in ("batch", "epoch") if event.get(key)]
        return f"{event['not_finite']} is {value}" + (f" after {' of '.join(when)}" if when else "")

    @property
    def calls(self) -> str:
        """The Keras calls that came to their end."""
        ends = [
            e for e in self.recording.of_kind(schema.CALL)
            if e["phase"] == "end" and e["method"] in _CALLS and not e.get("nested")
        ]  # fmt: skip
        return ", ".join(dict.fromkeys(f"{e['method']} of {e.get('model')}" for e in ends))


def check(situation: Situation) -> Verdict:
    """The command, run whole as far as its time allows; its failure is diagnosed as by `scan`.

    Where XLA was taken as on a GPU machine, the program is rehearsed without it, too: that is how it runs here.
    """
    verdict = _first(situation)
    if _is_settled(verdict) or situation.plain_rehearsal is None:
        return verdict
    recording = situation.plain_rehearsal
    plain = _Rehearsed(recording, situation.diagnosed(recording), situation.timeout, lambda: None)
    other = _judged(plain, "without XLA, as on this machine")
    if verdict.state == "fail":
        if other.state == "pass":
            return replace(verdict, message=f"{verdict.message}; without XLA, as on this machine, it passes")
        return verdict
    if other.state == "fail":
        return replace(other, message=f"without XLA, as on this machine: {other.message}")
    return other if other.state == "unchecked" else verdict


def begin(situation: Situation) -> bool:
    """Make the first half of the check, and begin the second where nothing is known of the study's failure by then.
    Whether the second is under way.
    """
    return _first(situation).state == "pass" and situation.begin_plain_rehearsal()


def _first(situation: Situation) -> Verdict:
    """What the rehearsal says that takes XLA as the study will."""
    first = _Rehearsed(
        situation.rehearsal, situation.diagnosis.findings, situation.timeout, lambda: situation.which_batch
    )
    gpu = situation.study.device == "gpu"
    return _judged(first, "under XLA, as on a GPU machine" if gpu else "as on this machine")


def _is_settled(verdict: Verdict) -> bool:
    """Whether nothing is left to be asked. What is no failure of TensorFlow's is one without XLA, too."""
    return verdict.state == "unchecked" or (verdict.state == "fail" and not set(verdict.slugs) - _OWN)


def _judged(run: _Rehearsed, under: str) -> Verdict:
    refused = refused_path(run.recording)
    if refused is not None:
        return _refused(refused, run)
    return _failed(run) or _unfinished(run) or _passed(run, under)


def _refused(refused: Refused, run: _Rehearsed) -> Verdict:
    said = f"it writes to {refused.path}, and a rehearsal may not" + (f" ({refused.why})" if refused.why else "")
    todo = f"Name the folder: with --outputs {refused.folder}, the rehearsal writes to a copy of it."
    if refused.why:
        todo = f"Let the rehearsal really write there, if that does no harm: --allow-write {refused.folder}."
    passed = run.calls
    return Verdict("unchecked", f"{said}; what comes after is not checked ({passed or 'no call'} passed)", todo)


def _failed(run: _Rehearsed) -> Verdict | None:
    """What is wrong, if something is."""
    loss = run.not_finite
    errors = [f for f in run.findings if f.level == "error" and (run.died or f.slug in _QUIET)]
    if run.died is None and not errors:
        if loss is None:
            return None
        todo = "Check the data of that batch, the learning rate, and logarithms and divisions of 0."
        return Verdict("fail", f"no error is raised, but {loss}", todo)
    if not errors:
        if run.recording.outcome is not None and run.recording.outcome.probes != "recorded":
            return None
        said = f"it ends with {run.died}"
        verdict = Verdict("fail", said, f"See its output: {run.recording.folder / 'stderr.log'}.")
        own = True
    else:
        quiet = run.died is None
        verdict = of_findings(errors, "fail", "no error is raised, but the result is wrong" if quiet else _when(run))
        own = not quiet and all(f.slug in _OWN for f in errors)
        batch = None if quiet else run.which_batch()
        verdict = replace(verdict, message=f"{verdict.message}, in {batch}") if batch else verdict
    if loss is not None:
        return replace(verdict, message=f"{verdict.message}; {loss}")
    if own and run.cut:
        todo = "It trained for only some of its epochs: check whether that is the reason."
        return Verdict("unchecked", f"after a training cut short, {verdict.message}", todo, (), details(errors))
    return verdict


def _when(run: _Rehearsed) -> str:
    seen = any(e.get("seen") == "calls" for e in run.events)
    return "it fails after its first train and predict steps" if seen else "it fails"


def _unfinished(run: _Rehearsed) -> Verdict | None:
    """Why there is no answer, if there is none."""
    outcome, recording = run.recording.outcome, run.recording
    if outcome is not None and outcome.probes != "recorded":
        return Verdict("unchecked", f"nothing was recorded: {outcome.probes_note}", "Name the interpreter: --python.")
    if outcome is not None and outcome.state == "timed-out":
        said = f"it had not ended after {run.timeout:g} s"
        return Verdict("unchecked", said, "Give it more time: --timeout.")
    if not run.calls and not recording.of_kind(schema.TRACE) and not recording.of_kind(schema.FIRST_OP):
        todo = f"See its output: {recording.folder}"
        return Verdict("unchecked", "the program ended without a step of TensorFlow", todo)
    if run.stopped == "seconds":
        said = f"it was stopped before its end; calls that passed before that: {run.calls or 'no call of Keras'}"
        return Verdict("unchecked", said, "Shorten the study for a preflight, or give it more time: --timeout.")
    missing = unseen(recording)
    if missing:
        return Verdict("unchecked", f"the last batch was not run of {missing[0]}", None, (), tuple(missing))
    return None


def _passed(run: _Rehearsed, under: str) -> Verdict:
    done = run.calls or "its own loop, without a call of Keras' fit, evaluate or predict"
    how = "a part of its batches or epochs" if run.cut else "whole"
    if run.stopped:
        how += ", stopped after its first predict"
    if run.stopped == "repeats":
        how += " where it trained once more in the same way, constants aside; its end was not reached"
    return Verdict("pass", f"{done} ({how}; {under})")
