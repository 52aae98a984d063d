"""Does TensorFlow know the flags that it will get? An unknown one ends the process."""

from __future__ import annotations

from xladoctor.preflight.situation import Situation
from xladoctor.preflight.verdict import Verdict

TITLE = "flags that TensorFlow knows"
ORDER = 20


def check(situation: Situation) -> Verdict:
    """TF_XLA_FLAGS and XLA_FLAGS against the names in the library that the study will load."""
    from xladoctor.recording.flags import FLAG_VARIABLES, libraries_of, problems

    environment = situation.environment
    given = {name: environment[name] for name in FLAG_VARIABLES if environment.get(name)}
    if not given:
        return Verdict("pass", "TF_XLA_FLAGS and XLA_FLAGS are not set")
    program = situation.study.python or (situation.study.command[0] if situation.study.command else "python")
    found = problems(environment, libraries_of(program, environment))
    # What ends the process comes first, whichever variable it is in.
    found.sort(key=lambda p: p.kind == "duplicate")
    lines = tuple(f"{p.variable}: {p.flag}: {p.message}" for p in found)
    if found and found[0].kind != "duplicate":
        return Verdict("fail", lines[0], "Correct or remove the flag.", ("flag-error",), lines)
    if found:
        return Verdict("warn", lines[0], "Keep one of them: the last wins.", ("flag-error",), lines)
    return Verdict("pass", ", ".join(f"{k}={v}" for k, v in given.items()))
