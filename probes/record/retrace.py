"""The shapes that the user's names have after each line, in a second run of a program that failed.

Lines are seen with `sys.monitoring` from Python 3.12 on, else with `sys.settrace`. AutoGraph runs a copy of a traced
function; its lines are mapped back to those that it was made from. Shapes and types are kept, never values.
"""

from __future__ import annotations

import dis
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
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
_QUIET_CALLS = 20_000
_PAUSE = 4.0
"""How much longer than the calls that told nothing new."""
_LONGEST = 0.5
_OFTEN = 8
"""How often a line is looked at in each run of it: later those runs of it whose number is a power of two."""
_MAX_ITEMS = 8
FUNCTIONS = "tensorflow.python.eager.polymorphic_function.polymorphic_function"
_GENERATOR = 0x20
_AUTOGRAPHS = ("vars_", "retval_", "fscope")
_COPY = "__autograph_generated_file"
_clock = time.perf_counter


class _Open:
    """A call that is under way: the line that is being run, 0 where lines were passed over."""

    __slots__ = ("code", "line")

    def __init__(self, code: CodeType, line: int) -> None:
        self.code = code
        self.line = line


class ShapeTrace:
    """Writes `schema.RETRACE_FILE` into the run folder when the rehearsal ends: {"shapes": [{"file", "line", "name",
    "shape", "dtype"}], "complete"}, in the order in which they came up. A parameter has the line of its function's
    `def`, or of its decorator.
    """

    def __init__(self, guard: Guard, finder: PostImportFinder) -> None:
        self.guard = guard
        self.rows: list[dict[str, Any]] = []
        self.complete = True
        self._kept: dict[tuple[str, int, str], list[Any]] = {}
        self._runs: dict[tuple[CodeType, int], int] = {}
        self._open: dict[int, _Open] = {}
        self.followed: dict[CodeType, bool] = {}
        self._stores: dict[CodeType, dict[int, set[str]]] = {}
        self._copies: dict[str, tuple[str, dict[int, int]]] = {}
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
        known = self.followed.get(code)
        if known is None:
            name = code.co_filename
            known = self.followed[code] = is_user_file(name) or _COPY in name
        return known

    def passed_over(self) -> None:
        """Lines will be run unseen: of what is under way it is not known where it is."""
        for opened in list(self._open.values()):
            opened.line = 0

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
        if opened is None or not opened.line or not self.complete:
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
        if _COPY in file:
            file, line = self._original(file, line)
            if not line:
                return
        stores = self._stores.get(frame.f_code)
        if stores is None:
            stores = self._stores[frame.f_code] = stored(frame.f_code)
        names = stores.get(opened.line, ())
        local = frame.f_locals if names else {}
        for name in names:
            holder, _, attribute = name.partition(".")
            value = local.get(holder)
            if attribute:
                own = getattr(value, "__dict__", None)
                value = own.get(attribute) if type(own) is dict else None
            if holder not in _AUTOGRAPHS:
                for label, shape, dtype in _told(name, value):
                    self._keep(file, line, label, shape, dtype)

    def _keep(self, file: str, line: int, name: str, shape: Any, dtype: str) -> None:
        kept = self._kept.setdefault((file, line, name), [])
        if len(kept) < _SHAPES and (shape, dtype) not in kept:
            kept.append((shape, dtype))
            self.rows.append({"file": file, "line": line, "name": name, "shape": shape, "dtype": dtype})

    def _original(self, copy: str, line: int) -> tuple[str, int]:
        """The user's line that a line of AutoGraph's copy was made from; 0 where that is not known."""
        name, lines = self._copies.get(copy) or autograph_lines(copy)
        if lines:  # it may not be known yet
            self._copies[copy] = name, lines
        return name, lines.get(line, 0)


def stored(code: CodeType) -> dict[int, set[str]]:
    """The names that each line of a function gives values to, `self.x` too; its first line has its parameters."""
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)  # *args, **kwargs
    found: dict[int, set[str]] = {code.co_firstlineno: set(code.co_varnames[:count])}
    line, before = code.co_firstlineno, None
    inlined: dict[str, int] = {}  # from Python 3.12 on, variables of comprehensions: how many more stores are theirs
    steps = list(dis.get_instructions(code))
    for number, step in enumerate(steps):
        at = getattr(step, "line_number", None) or (step.starts_line if step.starts_line is not True else None)
        line = at or line
        names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        if step.opname == "LOAD_FAST_AND_CLEAR":
            inlined[names[0]] = 2  # that of the loop, and the one that gives the name its old value back
        elif step.opname == "STORE_ATTR":
            if before == "self":
                found.setdefault(line, set()).add("self." + str(step.argval))
        elif step.opname.startswith(("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF")):
            for name in names[:1] if step.opname.startswith("STORE_FAST_LOAD") else names:
                if not (name in inlined and _of_comprehension(name, inlined, steps[number + 1 :])):
                    found.setdefault(line, set()).add(name)
        before = names[-1] if names and "LOAD_" in step.opname else None
    return found


def _of_comprehension(name: str, inlined: dict[str, int], behind: list[dis.Instruction]) -> bool:
    """Whether a store is one of those that an inlined comprehension makes, or makes where it is left by an error."""
    if inlined[name]:
        inlined[name] -= 1
        return True
    after = (step.opname for step in behind)
    return next((op for op in after if not op.startswith(("STORE_FAST", "SWAP", "POP_TOP"))), "") == "RERAISE"


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


class _Pauses:
    """When tracing is to be left off, since it tells nothing new and costs much: calls of libraries are seen, too."""

    def __init__(self) -> None:
        self._calls = self._rows = 0
        self._since = _clock()
        self._until = 0.0
        self.enders = 0
        """How often something was called lately that can end a pause."""

    def due(self, rows: int) -> bool:
        """Whether so many calls of libraries brought no new row that a pause begins; called at each of them."""
        self._calls += 1
        if self._calls < _QUIET_CALLS:
            return False
        now = _clock()
        quiet = rows == self._rows and self.enders > 1
        self.enders = 0
        if quiet:
            self._until = now + min(_PAUSE * (now - self._since), _LONGEST)
        self._calls, self._rows, self._since = 0, rows, now
        return quiet

    def over(self) -> bool:
        """Whether a pause has been long enough."""
        now = _clock()
        if now < self._until:
            return False
        self._since = now
        return True


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

    followed, pauses = trace.followed, _Pauses()

    def begun(frame: FrameType, event: str, value: Any) -> Any:
        own = followed.get(frame.f_code)
        if own is None:
            own = trace.follows(frame.f_code)
        if own and trace.complete:
            trace.begins(frame)
            return local
        if pauses.due(len(trace.rows)) or not trace.complete:
            sys.settrace(None)
            trace.passed_over()
        return None

    trace_call = hidden(begun)

    def watch(holder: Any) -> None:
        original = holder.__call__

        def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
            pauses.enders += 1
            if trace.complete and sys.gettrace() is None and pauses.over():
                sys.settrace(trace_call)
            return original(self, *args, **kwargs)

        trace.guard.hooks.put(holder, "__call__", hidden(__call__))

    finder.when_imported("tensorflow.python.ops.script_ops", lambda module: watch(module.FuncRegistry))
    finder.when_imported(FUNCTIONS, lambda module: watch(module.Function))
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
