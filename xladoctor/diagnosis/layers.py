"""The Keras layers that were called, and the user's functions that TensorFlow traced, of a recorded run."""

from __future__ import annotations

from xladoctor.diagnosis.facts import is_user_file
from xladoctor.model.trace import FunctionRow, LayerRow
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema

_DEEPEST = 50


def layers(recording: Recording) -> tuple[LayerRow, ...]:
    """Each layer once, below the layer or model that calls it, in the order of the first calls."""
    events: dict[tuple[int, int], list[Event]] = {}
    for event in recording.of_kind(schema.LAYER):
        events.setdefault((event["pid"], event["layer"]), []).append(event)
    children: dict[tuple[int, int | None], list[tuple[int, int]]] = {}
    for key, found in events.items():
        parents = [e["parent"] for e in found if e.get("parent") is not None and (key[0], e["parent"]) in events]
        above = parents[0] if parents and parents[0] != key[1] else None
        children.setdefault((key[0], above), []).append(key)
    rows: list[LayerRow] = []
    waiting = [(key, 0) for (_, above), keys in children.items() if above is None for key in keys][::-1]
    seen = set()
    while waiting:
        key, depth = waiting.pop()
        if key in seen or depth > _DEEPEST:
            continue
        seen.add(key)
        rows.append(_row(events[key], depth))
        waiting += [(below, depth + 1) for below in reversed(children.get(key, []))]
    return tuple(rows)


def functions(recording: Recording) -> tuple[FunctionRow, ...]:
    """The user's functions that were traced, each with its last inputs and how often."""
    found: dict[tuple[str, str], list[Event]] = {}
    for event in recording.of_kind(schema.TRACE):
        defined = event.get("defined")
        if isinstance(defined, dict) and is_user_file(str(defined["file"])) and event.get("parent") is None:
            found.setdefault((str(event.get("python_name")), f"{defined['file']}:{defined['line']}"), []).append(event)
    return tuple(
        FunctionRow(
            name,
            location(traces[-1].get("defined")),
            location(traces[0].get("where")),
            len(traces),
            tuple(str(spec) for spec in traces[-1].get("inputs") or ()),
            traces[-1].get("xla"),
        )
        for (name, _), traces in found.items()
    )


def _row(events: list[Event], depth: int) -> LayerRow:
    """One layer: its shapes as a model called it last, its lines as of its first call."""
    first, last = events[0], events[-1]
    sizes = {s[0] for e in events for s in e["inputs"][:1] if s and isinstance(s[0], int)}
    return LayerRow(
        name=first["name"],
        cls=first["cls"],
        depth=depth,
        made=location(first.get("made")),
        called=location(first.get("called")),
        inputs=tuple(last["inputs"]),
        outputs=tuple(last["outputs"]),
        batches=tuple(sorted(sizes)),
        parameters=int(last.get("parameters") or 0),
        trainable=int(last.get("trainable") or 0),
    )
