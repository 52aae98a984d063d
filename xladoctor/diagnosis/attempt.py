"""A step that looks into sources and recordings of any kind: what it stumbles over costs what it would have added."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from xladoctor.model.diagnosis import Diagnosis
from xladoctor.recording.run import Recording

Step = Callable[[Diagnosis, Recording], Diagnosis]


def attempted(step: Step, diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """What the step makes of the diagnosis, or, if it fails, the diagnosis with a note that says so."""
    try:
        return step(diagnosis, recording)
    except Exception as error:
        name = step.__name__.removeprefix("with_").replace("_", " ")
        note = f"A part of the diagnosis was left out: {name} failed ({type(error).__name__}), a bug of the doctor."
        return replace(diagnosis, notes=(*diagnosis.notes, note))
