"""Callbacks of Keras that waited for a metric which never came: an early stop, a checkpoint, a rate that stays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xladoctor.diagnosis.basis import RECORDED_METRICS
from xladoctor.diagnosis.setting_finding import event_of, finding
from xladoctor.model.diagnosis import Finding, Proof, Remedy
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema

_SLUG = "dead-switch"
_LEFT_OUT = {
    "EarlyStopping": " It never stopped the training early, and no best weights were restored.",
    "ModelCheckpoint": " It could not find the best model: Keras 3 then saves every model, and Keras 2 none.",
    "ReduceLROnPlateau": " It never reduced the learning rate.",
}
_REMEDY = Remedy(
    "monitor-what-comes",
    "Monitor a metric that the fit reports",
    "safe",
    "Give the callback one of the names in `History.history` as `monitor`; or pass the validation data to `fit`, "
    "or the metric to `compile`.",
)
_SHOWN = 12


def idle_monitors(recording: Recording) -> Iterator[Finding]:
    """A warning for each callback, at the line that made it; of several fits with it one."""
    seen = set()
    for event in recording.of_kind(schema.MONITOR):
        if event.get("mode"):
            continue
        key = (event["callback"], event["wanted"], str(event.get("made") or event.get("where")))
        if key not in seen:
            seen.add(key)
            yield _finding(event)


def _finding(event: Event) -> Finding:
    name, wanted = str(event["callback"]), str(event["wanted"])
    reported: Sequence[str] = event["reported"]
    shown = ", ".join(f"`{n}`" for n in reported[:_SHOWN]) + (", ..." if len(reported) > _SHOWN else "")
    epochs = int(event.get("epochs") or 1)
    many = "its one epoch" if epochs == 1 else f"its {epochs} epochs"
    unseen = wanted.startswith("val_") and not any(n.startswith("val_") for n in reported)
    why = " This fit got no validation data." if unseen else ""
    title = f"{name} waits for {wanted}, which fit of {event.get('model')} never reports"
    return finding(
        _SLUG,
        title,
        f"{name} monitors `{wanted}`. In {many} the fit reported {shown}.{why}{_LEFT_OUT.get(name, '')} Keras "
        f"prints a warning and continues.",
        {**event, "where": event.get("made") or event.get("where")},
        [Proof("event", f"reported: {', '.join(reported[:_SHOWN])}", event_of(event))],
        basis=RECORDED_METRICS,
        details={"callback": name, "wanted": wanted, "reported": list(reported)},
        remedies=(_REMEDY,),
    )
