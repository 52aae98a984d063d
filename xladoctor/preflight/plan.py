"""The batches that a study will really meet, from its rehearsal: what was seen, else what the calls' arguments tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xladoctor.model.preflight import Batches
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema

_PHASES: dict[str, str] = {"fit": "train"}
_DATA = {
    "ArrayDataAdapter": "arrays",
    "TFDatasetAdapter": "tf.data",
    "PyDatasetAdapter": "PyDataset",
    "GeneratorDataAdapter": "generator",
    "loop": "loop over tf.data",
}


def plan(recording: Recording) -> tuple[Batches, ...]:
    """Each distinct call of `fit`, `evaluate` and `predict` as the program makes it, validation of a `fit` besides,
    and the program's own loops over datasets.
    """
    pid = recording.run.get("pid")
    seen = _seen(recording)
    calls = {e["call"]: e for e in recording.of_kind(schema.CALL) if e["phase"] == "begin" and e["pid"] == pid}
    rows: dict[Batches, None] = {}
    # A validation is a later call than its `fit`, and comes to its end before it.
    for phase in sorted(seen.values(), key=lambda p: (p.get("call") is None, p.get("call") or 0)):
        rows[_of_phase(phase, calls.get(phase.get("call")))] = None
    looked_at = {p.get("call") for p in seen.values()}
    for number, call in calls.items():
        if number not in looked_at and not call.get("nested") and not call["method"].endswith("_on_batch"):
            rows |= dict.fromkeys(_of_call(call))
    return tuple(rows)


def unseen(recording: Recording) -> list[str]:
    """The data whose end the rehearsal has not seen, and why: their last batch was not run."""
    phases = [p for p in _seen(recording).values() if not p["complete"]]
    return list(dict.fromkeys(f"{_phase(p)}: {_why(p)}" for p in phases))


def came_through(recording: Recording, call: object) -> frozenset[int]:
    """The sizes of the batches that one call of Keras ran, each as the program computes it, XLA included."""
    phases = [p for p in _seen(recording).values() if p.get("call") == call and p["ran"] and p["complete"]]
    return frozenset(n for p in phases for n, _ in p["sizes"] if n is not None)


def _seen(recording: Recording) -> dict[tuple[object, ...], Event]:
    """What was looked at of each call's batches, and of each loop's."""
    pid = recording.run.get("pid")
    return {
        (p.get("call"), p["method"], p["validation"], str(p.get("where"))): p
        for e in recording.of_kind(schema.REHEARSAL)
        if e["pid"] == pid and (p := e.get("phase")) is not None
    }


def _phase(phase: Event) -> str:
    return "validation" if phase["validation"] else _PHASES.get(phase["method"], str(phase["method"]))


def _why(phase: Event) -> str:
    return str(phase.get("why") or "its end was not seen")


def _of_phase(phase: Event, call: Event | None) -> Batches:
    """What was seen of a call's batches. The numbers of arrays are known without looking."""
    counts = {n: k for n, k in phase["sizes"] if n is not None}
    adapter = phase.get("adapter") or {}
    kind = _DATA.get(phase["kind"], str(phase["kind"]))
    method = _phase(phase)
    origin = [str(location((call or phase).get("where")) or ""), kind]
    known = phase["complete"] or (adapter.get("rows") is not None and adapter.get("size"))
    unknown = None if known else _why(phase)
    batches = Batches(method, None, max(counts, default=None), "", (call or {}).get("epochs"))
    batches = replace(batches, model=(call or {}).get("model"), ran=phase["ran"])
    if phase["complete"] and counts:
        batches = replace(batches, rows=sum(n * k for n, k in counts.items()), observed=tuple(counts))
    elif adapter.get("rows") is not None and adapter.get("size"):
        batches = replace(batches, rows=adapter["rows"], size=adapter["size"])
    elif counts:
        batches = replace(batches, observed=tuple(counts))
    steps = adapter.get("batches")
    if kind == "arrays" and call is not None and not call.get("batch_size_given"):
        origin.append("Keras' default batch size")
    if not phase["complete"] and steps:
        origin.append(f"{steps} batches an epoch")
    if phase["validation"]:
        batches = replace(batches, epochs=(call or {}).get("epochs"))
    if method not in ("train", "validation"):
        batches = replace(batches, epochs=None)
    return replace(batches, origin=", ".join(o for o in origin if o), unknown=unknown)


def _of_call(call: Event) -> Iterator[Batches]:
    """What the arguments of a call tell, where its batches were not looked at."""
    size, rows = call.get("batch_size"), call["rows_in"]
    held_back = call.get("validation_rows")
    if call.get("validation_split") and held_back and rows is not None:
        rows -= held_back
    phase = _PHASES.get(call["method"], str(call["method"]))
    unknown = None if rows is not None else "how many rows there are is not known"
    yield Batches(phase, rows, size, _origin(call), _epochs(call), unknown=unknown)
    if held_back:
        own = call.get("validation_batch_size") or size
        yield Batches("validation", held_back, own, _origin(call), _epochs(call))


def _origin(call: Event) -> str:
    where = str(location(call.get("where")) or "")
    default = "" if call.get("batch_size_given") else "Keras' default batch size"
    return ", ".join(part for part in (where, default) if part)


def _epochs(call: Event) -> int | None:
    epochs = call.get("epochs")
    return epochs if isinstance(epochs, int) else None
