"""The batches that a study will really meet, from the Keras calls of its rehearsal."""

from __future__ import annotations

from xladoctor.evidence.run import Event, Recording, location
from xladoctor.evidence.schema import schema
from xladoctor.preflight.model import Batches

_PHASES: dict[str, str] = {"fit": "train"}


def plan(recording: Recording) -> tuple[Batches, ...]:
    """Each distinct call of `fit`, `evaluate` and `predict` as the program makes it, validation of a `fit` besides."""
    found: dict[Batches, None] = {}
    for call in recording.of_kind(schema.CALL):
        if call["phase"] != "begin" or call.get("nested") or call["method"].endswith("_on_batch"):
            continue
        size = call.get("batch_size")
        phase = _PHASES.get(call["method"], str(call["method"]))
        found[Batches(phase, call["rows_in"], size, _origin(call), _epochs(call))] = None
        if call.get("validation_rows"):
            own = call.get("validation_batch_size") or size
            found[Batches("validation", call["validation_rows"], own, _origin(call), _epochs(call))] = None
    return tuple(found)


def _origin(call: Event) -> str:
    where = str(location(call.get("where")) or "")
    default = "" if call.get("batch_size_given") else "Keras' default batch size"
    return ", ".join(part for part in (where, default) if part)


def _epochs(call: Event) -> int | None:
    epochs = call.get("epochs")
    return epochs if isinstance(epochs, int) else None
