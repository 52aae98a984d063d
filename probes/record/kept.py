"""Python values that a graph keeps from the moment it was traced, though the program has changed them since.

What a function may read is looked up once, when it was traced. After later calls the values are compared with those of
the traces, seldom enough to cost next to nothing: one that differs from all of them at a call that made no trace is
noted, with the constants of the graph that equal the old value.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .. import compat_graph, schema
from .frames import user_frames
from .guard import Guard
from .owners import Owner
from .python_values import Mark, Place, Search, mark, shown

MAX_EVENTS = 20
MAX_FUNCTIONS = 50
MAX_TRACES = 20
"""Of one function."""
_FIRST = 16
"""Calls after which the values are compared in any case."""
_SHARE = 400
"""So many times what a comparison takes must pass before the next one."""
_MAX_SCANNING = 0.3
"""Seconds in which graphs are searched for constants, of all functions together."""
_MAX_OPS = 50_000
_MAX_TENSOR = 1 << 20

_clock = time.perf_counter


class _Watched:
    """One place, and the values that it had when the function was traced."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.marks: list[Mark] = []
        self.values: list[Any] = []
        """Of numbers only: nothing of the program is held."""


class _Function:
    """What is known of one function, as long as there is that."""

    def __init__(self, recorder: KeptRecorder) -> None:
        self._recorder = recorder
        self.places: dict[Any, _Watched] = {}
        self.next = 0.0
        self.calls = 0
        self.traces = 0

    def called(self, function: Any, capsules: Callable[[Any], Any]) -> None:
        """The function was called, and that made no trace."""
        if self.places:
            self.calls += 1
            if self.calls <= _FIRST or _clock() >= self.next:
                self._recorder.compare(self, function, capsules)


class KeptRecorder:
    """Writes `kept` events."""

    def __init__(self, guard: Guard, named: Mapping[str, Any], uid: Callable[[Any], str]) -> None:
        self.guard = guard
        self._named = named
        self._uid = uid
        self._functions: weakref.WeakSet[_Function] = weakref.WeakSet()
        self._events = 0
        self._scanning = 0.0
        self.compared: dict[str, list[int]] = {}
        """{name of a function: how many values were compared, after how many calls}, for the end of the run."""

    def traced(self, function: Any, owner: Owner) -> None:
        """A `tf.function`, which was not called in a graph, was traced just now."""
        watched: _Function | None = owner.kept
        if watched is None:
            if len(self._functions) >= MAX_FUNCTIONS or self._events >= MAX_EVENTS:
                return
            watched = owner.kept = _Function(self)
            self._functions.add(watched)
        watched.traces += 1
        if watched.traces > MAX_TRACES:
            watched.places.clear()  # it is traced anew for whatever changes
            return
        search = Search()
        for place in search.of(function.python_function):
            # The root of a place is not held: another object may have its number later, but not its path and marks.
            key = (id(place.root()), place.steps)
            known = watched.places.setdefault(key, _Watched(place))
            found = _look(place)
            if found is not None and not any(_same(found[0], m) for m in known.marks):
                known.marks.append(found[0])
                known.values.append(_plain(found[1]))

    def compare(self, watched: _Function, function: Any, capsules: Callable[[Any], Any]) -> None:
        """Compare the values with those of the traces."""
        started = _clock()
        changed = []
        seen = 0
        for key, each in watched.places.items():
            found = _look(each.place)
            seen += found is not None and bool(each.marks)
            if found is not None and each.marks and not any(_same(found[0], m) for m in each.marks):
                changed.append((key, each, found[1]))
        ended = _clock()
        if seen:
            name = str(getattr(function.python_function, "__name__", None) or "a function")
            values, calls = self.compared.get(name, (0, 0))
            self.compared[name] = [max(values, seen), calls + 1]
        watched.next = ended + _SHARE * (ended - started)
        for key, each, now in changed:
            del watched.places[key]
            self.guard.part("kept value", self._write, watched, each, now, capsules(function))

    def _write(self, watched: _Function, each: _Watched, now: Any, capsules: Iterator[Any]) -> None:
        was = each.marks[-1]
        if was[0] == "tensor":
            before = was[1]()
            if before is None or _equal(before, now):
                return  # no graph holds it, or it is the same once more
        self._events += 1
        if self._events > MAX_EVENTS:
            return
        frames = user_frames(skip=4, limit=1)
        folder, constants = self._constants(capsules, each.values[-1])
        self.guard.sink.write(
            schema.KEPT,
            path=[[kind, str(key)] for kind, key in each.place.steps],
            before=_words(was, each.values[-1]),
            now=shown(now),
            call=watched.calls + watched.traces,
            traces=watched.traces,
            readers=each.place.readers[:20],
            where=frames[0] if frames else None,
            capsule=folder.name if folder is not None else None,
            constants=constants,
        )

    def _constants(self, capsules: Iterator[Any], value: Any) -> tuple[Path | None, dict[str, list[str]]]:
        """The capsule of the function, and {graph: names of its constants that equal the value}."""
        folder, concrete = next(capsules, (None, None))
        if concrete is None or value is None or self._scanning > _MAX_SCANNING:
            return folder, {}
        started = _clock()
        found: dict[str, list[str]] = {}
        waiting, seen, ops = [concrete.graph], set(), 0
        while waiting and ops < _MAX_OPS:
            graph = waiting.pop()
            if id(graph) in seen:
                continue
            seen.add(id(graph))
            for op in graph.get_operations():
                ops += 1
                if op.type == "Const":
                    if compat_graph.constant_equals(op, value):
                        found.setdefault(self._uid(graph), []).append(str(op.name))
                else:
                    waiting += [g for n in compat_graph.called_by(op) if (g := self._named.get(n)) is not None]
        self._scanning += _clock() - started
        return folder, {graph: names[:200] for graph, names in found.items()}


def _look(place: Place) -> tuple[Mark, Any] | None:
    try:
        value = place.value()
    except (KeyError, IndexError, AttributeError):
        return None
    found = mark(value)
    return None if found is None else (found, value)


def _same(one: Mark, other: Mark) -> bool:
    if one[0] == other[0] == "tensor":
        return one[1]() is other[1]()
    return one == other


def _equal(one: Any, other: Any) -> bool:
    """Whether two eager tensors hold the same; large ones are taken for it."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.shape.num_elements() * one.dtype.size > _MAX_TENSOR:
        return True
    return bool((one.numpy() == other.numpy()).all())


def _plain(value: Any) -> Any:
    """A number, or a short row of them, to look for in a graph; None of anything else."""
    if isinstance(value, (list, tuple)):
        return tuple(value) if value and all(isinstance(v, (int, float)) for v in value) else None
    if hasattr(value, "dtype"):
        return value.item() if not hasattr(value, "numpy") and value.shape == () else None
    return value if isinstance(value, (int, float, complex)) and not isinstance(value, bool) else None


def _words(was: Mark, value: Any) -> str:
    if value is not None:
        return shown(value)
    if was[0] == "array":
        return f"array of shape ({', '.join(map(str, was[1]))})"
    if was[0] == "row":
        return f"{was[1]} elements"
    return {"none": "None", "tensor": "another tensor"}.get(was[0]) or repr(was[1])[:60]
