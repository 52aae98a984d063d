"""The steps of a rehearsal, traced once more with a switch in its other position.

A switch that a step reads while it is traced can be tried without running the program again: Keras makes its step
function anew, it is traced with the same layers and variables, and its graph goes into a capsule beside the first, with
the values of the same batch. Nothing is run, and the switch is put back. What was decided when a layer was made stays
decided; only another rehearsal shows that.
"""

from __future__ import annotations

import atexit
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import schema
from .guard import Guard
from .tracing import TraceRecorder
from .values import ValueWriter

_FUNCTIONS = {"fit": "train_function", "evaluate": "test_function", "predict": "predict_function"}


class TwinRecorder:
    """Writes `rehearsal` events with `switch`, `capsule` and `twin`.

    `wanted` says which settings are switches and what their other position is: {"parts": of their names, "without":
    names that are none, "words": {value of an environment variable: its other one}}.
    """

    def __init__(self, guard: Guard, tracing: TraceRecorder, values: ValueWriter, wanted: Mapping[str, Any]) -> None:
        self.guard = guard
        self.sink = guard.sink
        self.tracing = tracing
        self.values = values
        self._parts = tuple(wanted.get("parts") or ())
        self._without = frozenset(wanted.get("without") or ())
        self._words: Mapping[str, str] = wanted.get("words") or {}
        self._reads: dict[str, dict[tuple[str, str], tuple[Any, Any]]] = {}
        self._done: set[tuple[str, str]] = set()
        self._waiting: list[_Step] = []

    def read(self, mapping: Any, store: str, key: str, value: Any, graph: str | None) -> None:
        """A setting was read while `graph` was traced."""
        if graph is None or key in self._without or not any(part in key.lower() for part in self._parts):
            return
        if self._other(value, store) is not None:
            self._reads.setdefault(graph, {})[store, key] = (mapping, value)

    def after(self, model: Any, call: Mapping[str, Any]) -> None:
        """A Keras call has ended: its step once more, for each switch that it read.

        A train step takes several times as long to trace as a predict step, and its forward half is the same: it waits
        for `finish`.
        """
        found = next(self.tracing.capsules_of(self.tracing.last_function), None)
        if call["method"] not in _FUNCTIONS or found is None or found[1] is None:
            return
        step = _Step(model, call, _FUNCTIONS[str(call["method"])], _name(self.tracing.last_function), *found)
        if call["method"] == "predict":
            self._trace(step)
        else:
            if not self._waiting:
                # What is registered last is called first: while TensorFlow and Keras are whole.
                atexit.register(self.guard.run, "twins", self.finish)
            self._waiting.append(step)

    def finish(self) -> None:
        """The program ends: the steps that waited, for switches that no other step has shown."""
        waiting, self._waiting = self._waiting, []
        for step in waiting:
            self._trace(step)

    def _trace(self, step: _Step) -> None:
        for (store, key), (mapping, value) in self._reads.get(self.tracing.uid(step.concrete.graph), {}).items():
            if (store, key) in self._done:
                continue
            other = self._other(value, store)
            told = {"switch": f"{'env' if store == 'env' else 'cfg'}:{key}", "value": value, "other": other}
            mapping[key] = other
            try:
                told["twin"] = self._kept(step.traced_again(), step.call)
                self._done.add((store, key))
            except Exception as error:
                told["error"] = f"{type(error).__name__}: {error}"[:600]
            finally:
                mapping[key] = value
            self.sink.write(schema.REHEARSAL, method=step.call["method"], capsule=step.folder.name, **told)

    def _kept(self, concrete: Any, call: Mapping[str, Any]) -> str | None:
        folder = self.tracing.write_twin(concrete)
        if folder is None:
            return None
        rows, size = call["rows_in"], call.get("batch") or call["batch_size"]
        exact = "batch" in call or (rows is not None and size is not None and rows <= size)
        self.values.of_keras(folder, concrete, call["data"], rows, size, exact)
        return str(folder.name)

    def _other(self, value: Any, store: str) -> Any:
        if isinstance(value, bool):
            return not value
        return self._words.get(value.strip().lower()) if store == "env" and isinstance(value, str) else None


@dataclass(frozen=True)
class _Step:
    """A Keras call and the function that it ran."""

    model: Any
    call: Mapping[str, Any]
    attribute: str
    name: str | None
    folder: Path
    concrete: Any

    def traced_again(self) -> Any:
        """The function, made anew and traced for the same arguments; the model keeps the one that it had."""
        kept = getattr(self.model, self.attribute)
        try:
            getattr(self.model, f"make_{self.attribute}")(force=True)
            args, kwargs = self.concrete.structured_input_signature
            return _within(getattr(self.model, self.attribute), self.name).get_concrete_function(*args, **kwargs)
        finally:
            setattr(self.model, self.attribute, kept)


def _within(made: Any, name: str | None) -> Any:
    """The `tf.function` of this name: what Keras made itself, or what it put into a Python function around it."""
    if hasattr(made, "get_concrete_function"):
        return made
    cells = [c.cell_contents for c in getattr(made, "__closure__", None) or ()]
    found = [c for c in cells if hasattr(c, "get_concrete_function") and _name(c) == name]
    if not found:
        raise LookupError(f"Keras' step function holds no tf.function {name}")
    return found[0]


def _name(function: Any) -> str | None:
    return getattr(getattr(function, "python_function", None), "__name__", None)
