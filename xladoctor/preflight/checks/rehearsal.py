"""Does the study come through its first train and predict steps, on the path that it will take?"""

from __future__ import annotations

from xladoctor.evidence.schema import schema
from xladoctor.preflight.situation import Situation
from xladoctor.preflight.verdict import Verdict, of_findings

TITLE = "the first train and predict steps"

_CALLS = ("fit", "evaluate", "predict")


def check(situation: Situation) -> Verdict:
    """The command, run with a batch of each `fit`; its failure is diagnosed as `scan` would."""
    from xladoctor.replay.rehearse import came_to_its_end

    recording = situation.rehearsal
    ended = came_to_its_end(recording)
    calls = [e for e in recording.of_kind(schema.CALL) if e["phase"] == "end" and e["method"] in _CALLS]
    outcome = recording.outcome
    if outcome is not None and outcome.probes != "recorded":
        return Verdict("fail", f"nothing was recorded: {outcome.probes_note}", "Say which interpreter: --python.")
    errors = [f for f in situation.diagnosis.findings if f.level == "error"]
    if errors:
        return of_findings(errors, "fail", "it fails")
    if outcome is not None and outcome.state == "timed-out":
        return Verdict("fail", f"no step had ended after {situation.timeout:g} s", "Give it more time: --timeout.")
    if not calls and not recording.of_kind(schema.TRACE):
        return Verdict("fail", "the program ended before any step", "Look into its output: " + str(recording.folder))
    done = ", ".join(dict.fromkeys(f"{e['method']} of {e.get('model')}" for e in calls)) or "no Keras call"
    if not ended:
        return Verdict("warn", f"it ended early, after: {done}", f"See {recording.folder / 'stderr.log'}.")
    under = "under XLA, as on a GPU machine" if situation.study.device == "gpu" else "as on this machine"
    return Verdict("pass", f"{done} ({under})")
