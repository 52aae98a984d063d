"""The Keras layers that were called, and the user's functions that TensorFlow traced, of a recorded run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

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
    calls = _batches_of_calls(recording)
    waiting = [(key, 0) for (_, above), keys in children.items() if above is None for key in keys][::-1]
    seen = set()
    while waiting:
        key, depth = waiting.pop()
        if key in seen or depth > _DEEPEST:
            continue
        seen.add(key)
        rows.append(_row(events[key], depth))
        waiting += [(below, depth + 1) for below in reversed(children.get(key, []))]
    return tuple(_with_batches(rows, calls))


def _with_batches(rows: list[LayerRow], calls: dict[str, set[int]]) -> Iterator[LayerRow]:
    """The rows of a model, and of all layers below it, with the batch sizes of the calls of this model."""
    here: set[int] = set()
    for row in rows:
        if row.depth == 0:
            here = calls.get(row.name, set())
        yield replace(row, batches=tuple(sorted({*row.batches, *here})))


def _batches_of_calls(recording: Recording) -> dict[str, set[int]]:
    """{name of the model: sizes of the batches} of the calls of fit, evaluate and predict that were given arrays.

    A traced step leaves its first axis open, so that the layers themselves do not see these sizes.
    """
    found: dict[str, set[int]] = {}
    for event in recording.of_kind(schema.CALL):
        rows, size, model = event.get("rows_in"), event.get("batch_size"), event.get("model")
        if event["phase"] != "begin" or not isinstance(rows, int) or not isinstance(size, int) or size < 1:
            continue
        share = event.get("validation_split")
        # keras/src/trainers/data_adapters/array_slicing.py rounds the rows of training down.
        trained = int(rows * (1 - share)) if isinstance(share, float) else rows
        for part in (trained, rows - trained):
            sizes = {min(size, part)} | ({part % size} if part > size else set())
            found.setdefault(str(model), set()).update(sizes - {0})
    return found


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
    """One layer: its shapes as a model called it last, its lines as of its first call.

    A first axis that was traced in several sizes, or left open once, is open: `batches` has the sizes.
    """
    first, last = events[0], events[-1]
    open_axis = len({str(e["inputs"][0][:1]) for e in events if e["inputs"][:1] and e["inputs"][0]}) > 1
    sizes = {s[0] for e in events for s in e["inputs"][:1] if s and isinstance(s[0], int)}
    return LayerRow(
        name=first["name"],
        cls=first["cls"],
        depth=depth,
        made=location(first.get("made")),
        called=location(first.get("called")),
        inputs=tuple(_opened(s) if open_axis else s for s in last["inputs"]),
        outputs=tuple(_opened(s) if open_axis else s for s in last["outputs"]),
        batches=tuple(sorted(sizes)),
        parameters=int(last.get("parameters") or 0),
        trainable=int(last.get("trainable") or 0),
    )


def _opened(shape: list[int | None] | None) -> list[int | None] | None:
    return [None, *shape[1:]] if shape else shape
