"""The shapes that the user's names have after each line, in a second run of a program that failed.

Lines are seen with `sys.monitoring` from Python 3.12 on, else with `sys.settrace`. AutoGraph runs a copy of a traced
function; its lines are mapped back to those that it was made from. Shapes and types are kept, never values.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, ModuleType
from typing import Any

from .. import compat, schema
from ..compat_autograph import autograph_lines
from .frames import hidden, is_user_file
from .guard import Guard
from .importhook import PostImportFinder

MAX_ROWS = 20_000
MAX_SECONDS = 20.0
"""Of our own work; nothing is recorded after it, and the file says so."""
_SHAPES = 4
"""The different shapes of one name after one line that are kept, the first ones."""
_OFTEN = 8
"""How often a line is looked at in each run of it: later those runs of it whose number is a power of two."""
_MAX_NAMES = 400
_MAX_ITEMS = 8
_GENERATOR = 0x20
_AUTOGRAPHS = ("vars_", "retval_", "fscope")
_COPY = "__autograph_generated_file"
_clock = time.perf_counter


class _Open:
    """A call that is under way: the line that is being run, and the identities of what its names had before it."""

    __slots__ = ("code", "known", "line")

    def __init__(self, code: CodeType, line: int) -> None:
        self.code = code
        self.line = line
        self.known: dict[str, int] = {}


class ShapeTrace:
    """Writes `schema.RETRACE_FILE` into the run folder when the rehearsal ends: {"shapes": [{"file", "line", "name",
    "shape", "dtype", "order"}], "complete"}. A parameter has the line of its function's `def`, or of its decorator.
    """

    def __init__(self, guard: Guard, finder: PostImportFinder) -> None:
        self.guard = guard
        self.rows: list[dict[str, Any]] = []
        self.complete = True
        self._kept: dict[tuple[str, int, str], list[Any]] = {}
        self._runs: dict[tuple[CodeType, int], int] = {}
        self._open: dict[int, _Open] = {}
        self._followed: dict[CodeType, bool] = {}
        self._origins: dict[str, dict[int, int]] = {}
        self._names: dict[str, str] = {}
        self._seconds = 0.0
        self._stop = _monitored(self) if hasattr(sys, "monitoring") else _traced(self, finder)

    def write(self) -> None:
        """Stop, and write what was seen."""
        self._stop()
        document = {"schema": schema.RETRACE_SCHEMA, "shapes": self.rows, "complete": self.complete}
        with (self.guard.sink.run_dir / schema.RETRACE_FILE).open("x", encoding="utf-8") as file:
            json.dump(document, file)

    # -- what Python tells ---------------------------------------------------------------------------------------------

    def follows(self, code: CodeType) -> bool:
        """Whether the lines of a function are looked at."""
        known = self._followed.get(code)
        if known is None:
            name = code.co_filename
            known = self._followed[code] = is_user_file(name) or _COPY in name
        return known

    def begins(self, frame: FrameType) -> None:
        """A function begins, or goes on after a `yield`."""
        code, opened = frame.f_code, self._open.get(id(frame))
        if opened is None or opened.code is not code or not code.co_flags & _GENERATOR:
            self._open[id(frame)] = _Open(code, frame.f_lineno)

    def line(self, frame: FrameType) -> None:
        """A line begins: the one before it has been run."""
        self._after(frame)
        opened = self._open.get(id(frame))
        if opened is not None:
            opened.line = frame.f_lineno

    def ends(self, frame: FrameType) -> None:
        """A function returns, or is left by an exception."""
        self._after(frame)
        if not frame.f_code.co_flags & _GENERATOR:
            self._open.pop(id(frame), None)

    def _after(self, frame: FrameType) -> None:
        opened = self._open.get(id(frame))
        if opened is None or not self.complete:
            return
        key = (frame.f_code, opened.line)
        number = self._runs[key] = self._runs.get(key, 0) + 1
        if number > _OFTEN and number & (number - 1):
            return
        started = _clock()
        try:
            self._look(frame, opened)
        except Exception:
            self.complete = False  # no error of ours may become one of the program's
        self._seconds += _clock() - started
        if self._seconds > MAX_SECONDS or len(self.rows) >= MAX_ROWS:
            self.complete = False

    # -- what is kept --------------------------------------------------------------------------------------------------

    def _look(self, frame: FrameType, opened: _Open) -> None:
        file, line = frame.f_code.co_filename, opened.line
        copied = _COPY in file
        if copied:
            file, line = self._original(file, line)
            if not line:
                return
        for name, value in list(frame.f_locals.items())[:_MAX_NAMES]:
            if opened.known.get(name) == id(value):
                continue
            opened.known[name] = id(value)
            if copied and name in _AUTOGRAPHS:
                continue
            for label, shape, dtype in _told(name, value):
                self._keep(file, line, label, shape, dtype)
        names = getattr(frame.f_locals.get("self"), "__dict__", None)
        for name, value in list(names.items())[:_MAX_NAMES] if type(names) is dict else ():
            label = "self." + name
            if not name.startswith("_") and opened.known.get(label) != id(value):
                opened.known[label] = id(value)
                for told in _told(label, value):
                    self._keep(file, line, *told)

    def _keep(self, file: str, line: int, name: str, shape: Any, dtype: str) -> None:
        kept = self._kept.setdefault((file, line, name), [])
        if len(kept) < _SHAPES and (shape, dtype) not in kept:
            kept.append((shape, dtype))
            self.rows.append(
                {"file": file, "line": line, "name": name, "shape": shape, "dtype": dtype, "order": len(self.rows)}
            )

    def _original(self, copy: str, line: int) -> tuple[str, int]:
        """The user's line that a line of AutoGraph's copy was made from; 0 where that is not known."""
        if copy not in self._origins:
            self._names[copy], self._origins[copy] = autograph_lines(copy)
            if not self._origins[copy]:
                del self._origins[copy]  # it is not known yet
                return "", 0
        return self._names[copy], self._origins[copy].get(line, 0)


def _told(name: str, value: Any) -> Iterator[tuple[str, Any, str]]:
    """What is kept of a value, and of the few items of a list or a dict: label, shape, type."""
    if isinstance(value, (list, tuple)) and len(value) <= _MAX_ITEMS:
        items = [(f"{name}[{i}]", item) for i, item in enumerate(value)]
    elif type(value) is dict and len(value) <= _MAX_ITEMS:
        items = [(f"{name}[{key!r}]", item) for key, item in value.items() if isinstance(key, str)]
    else:
        items = [(name, value)]
    for label, item in items:
        if isinstance(item, type):
            continue
        if type(item).__module__.startswith("pandas."):
            shape = getattr(item, "shape", None)
            if isinstance(shape, tuple):
                yield label, list(shape), type(item).__name__
            continue
        info = compat.tensor_info(item)
        if info is not None and info.shape is not None:
            yield label, info.shape, info.dtype


def _traced(trace: ShapeTrace, finder: PostImportFinder) -> Callable[[], None]:
    """Have `sys.settrace` tell of lines, in this thread, in those that Python starts, and in those of TensorFlow while
    they call Python (generators of a data set, `py_function`); returns what ends it.
    """

    def local(frame: FrameType, event: str, value: Any) -> Any:
        if event == "line":
            trace.line(frame)
        elif event == "return":
            trace.ends(frame)
        return local

    def begun(frame: FrameType, event: str, value: Any) -> Any:
        if not trace.complete or not trace.follows(frame.f_code):
            return None
        trace.begins(frame)
        return local

    trace_call = hidden(begun)

    def watch(module: ModuleType) -> None:
        registry: Any = module.FuncRegistry
        original = registry.__call__

        def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
            if trace.complete and sys.gettrace() is None:
                sys.settrace(trace_call)
            return original(self, *args, **kwargs)

        registry.__call__ = hidden(__call__)

    finder.when_imported("tensorflow.python.ops.script_ops", watch)
    sys.settrace(trace_call)
    threading.settrace(trace_call)

    def stop() -> None:
        sys.settrace(None)
        threading.settrace(None)

    return stop


def _monitored(trace: ShapeTrace) -> Callable[[], None]:
    """Have `sys.monitoring` tell of lines of the user's code, and of no other; returns what ends it."""
    monitoring: Any = vars(sys)["monitoring"]
    events = monitoring.events
    tool = next(i for i in (4, 3, 1, 2, 5, 0) if monitoring.get_tool(i) is None)
    lines = events.LINE | events.PY_RETURN | events.PY_RESUME

    def start(code: CodeType, offset: int) -> Any:
        if not trace.follows(code):
            return monitoring.DISABLE
        monitoring.set_local_events(tool, code, lines)
        trace.begins(sys._getframe(1))
        return None

    def line(code: CodeType, number: int) -> Any:
        if not trace.complete:
            return monitoring.DISABLE
        trace.line(sys._getframe(1))
        return None

    def ends(code: CodeType, offset: int, value: Any) -> None:
        trace.ends(sys._getframe(1))

    monitoring.use_tool_id(tool, "xladoctor")
    monitoring.register_callback(tool, events.PY_START, start)
    monitoring.register_callback(tool, events.PY_RESUME, start)
    monitoring.register_callback(tool, events.LINE, line)
    monitoring.register_callback(tool, events.PY_RETURN, ends)

    def unwinds(code: CodeType, offset: int, error: BaseException) -> None:
        if trace.follows(code):
            trace.ends(sys._getframe(1))

    monitoring.register_callback(tool, events.PY_UNWIND, unwinds)
    monitoring.set_events(tool, events.PY_START | events.PY_UNWIND)

    def stop() -> None:
        monitoring.set_events(tool, 0)
        monitoring.free_tool_id(tool)

    return stop
