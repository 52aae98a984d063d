"""Does the study come through its first train and predict steps, on the path that it will take?"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from xladoctor.evidence.run import Recording
from xladoctor.evidence.schema import schema
from xladoctor.preflight.situation import Situation
from xladoctor.preflight.verdict import Verdict, details, of_findings
from xladoctor.rules import OUTSIDE

TITLE = "the first train and predict steps"

_CALLS = ("fit", "evaluate", "predict")
_OWN = OUTSIDE
"""What is no failure of TensorFlow's: the program's own, which may come of its being rehearsed."""

_QUIET = frozenset({"contract-violation", "wrong-shape-silent"})
"""What can be wrong in a call that ends as if all were well."""

_DENIED = (
    # Python's own; TensorFlow's PermissionDeniedError.
    re.compile(r"(?:Permission denied|writes nothing outside of its folder): '(/[^'\n]+)'"),
    re.compile(r"(/[^\s;]+); Permission denied"),
)


def check(situation: Situation) -> Verdict:
    """The command, run with a batch of each `fit` and on to its next model; its failure is diagnosed as by `scan`."""
    from xladoctor.replay.rehearse import came_to_its_end

    recording = situation.rehearsal
    ended = came_to_its_end(recording)
    calls = [e for e in recording.of_kind(schema.CALL) if e["phase"] == "end" and e["method"] in _CALLS]
    outcome = recording.outcome
    if outcome is not None and outcome.probes != "recorded":
        return Verdict("fail", f"nothing was recorded: {outcome.probes_note}", "Say which interpreter: --python.")
    errors = [f for f in situation.diagnosis.findings if f.level == "error"]
    refused = _refused(recording) if errors or not ended else None
    steps_done = any(e.get("seen") == "calls" for e in recording.of_kind(schema.REHEARSAL))
    if refused is not None:
        path, why = refused
        said = f"it wants to write to {path}, and a rehearsal may not" + (f" ({why})" if why else "")
        todo = f"Name the folder: --outputs {_folder(path)} has it write to a copy of it."
        if why:
            todo = f"Let it really write there, if that does no harm: --allow-write {_folder(path)}."
        return Verdict("warn" if steps_done else "fail", said, todo, (), details(errors))
    if errors and steps_done and not any(f.slug not in _OWN for f in errors):
        verdict = of_findings(errors, "warn", "its first steps pass, and then it fails")
        todo = "A rehearsal trains on one batch only: see whether that is why."
        return Verdict("warn", verdict.message, todo, verdict.slugs, verdict.details)
    if errors and ended and all(f.slug in _QUIET for f in errors):
        return of_findings(errors, "fail", "nothing is raised, and it is wrong")
    if errors:
        verdict = of_findings(errors, "fail", "it fails after its first steps" if steps_done else "it fails")
        batch = situation.which_batch
        return replace(verdict, message=f"{verdict.message}, in {batch}") if batch else verdict
    if outcome is not None and outcome.state == "timed-out":
        return Verdict("fail", f"no step had ended after {situation.timeout:g} s", "Give it more time: --timeout.")
    if ended and not calls and recording.of_kind(schema.FIRST_OP):
        said = "it came to its end without a call of Keras' fit, evaluate or predict: its steps are not known"
        return Verdict("warn", said, "Give its steps as callables in a study file (docs/preflight.md).")
    if not calls and not recording.of_kind(schema.TRACE):
        return Verdict("fail", "the program ended before any step", "Look into its output: " + str(recording.folder))
    done = ", ".join(dict.fromkeys(f"{e['method']} of {e.get('model')}" for e in calls)) or "no Keras call"
    if not ended:
        return Verdict("warn", f"it ended early, after: {done}", f"See {recording.folder / 'stderr.log'}.")
    under = "under XLA, as on a GPU machine" if situation.study.device == "gpu" else "as on this machine"
    return Verdict("pass", f"{done} ({under})")


def _refused(recording: Recording) -> tuple[Path, str | None] | None:
    """(the absolute path that the program was not let write to, why it was not redirected) if that is how it ended."""
    begun = next((e for e in recording.of_kind(schema.REHEARSAL) if e.get("confined")), None)
    failures = recording.of_kind(schema.FAILURE)
    ended = {(e["pid"], e["failure"]) for e in failures if e.get("state") == "uncaught"}
    messages = [str(e.get("message")) for e in failures if (e["pid"], e["failure"]) in ended and e.get("message")]
    if begun is None or not messages:
        return None
    found = next((m for m in (p.search(messages[-1]) for p in _DENIED) if m), None)
    if found is None:
        return None
    path = Path(found.group(1))
    redirected = begun.get("redirected") or {}
    why = next((w for folder, w in redirected.items() if w and path.is_relative_to(folder)), None)
    return (path, why) if not path.is_relative_to(recording.folder) else None


def _folder(path: Path) -> Path:
    return path if path.is_dir() else path.parent
