"""What each call of a rehearsed program was given and what it gave back, so that two rehearsals can be compared.

Recorded are the user's own functions, and the library functions that the user's lines call: a digest of the arguments,
and of the results digests and some of their elements. Symbolic tensors have no numbers and are left out. It also
records how often each line of the user's was run: two rehearsals with the same counts took the same branches.

`sys.settrace` sees these calls. It slows Python, so this belongs into rehearsals only.
"""

from __future__ import annotations

import builtins
import hashlib
import importlib.util
import json
import sys
import time
from collections.abc import Iterable, Iterator
from types import CodeType, FrameType
from typing import Any

from .. import compat
from .defaulted import Defaulted
from .frames import hidden, is_user_file
from .guard import Guard

FILE = "returns.json"
MAX_ROWS = 2000
MAX_SECONDS = 20.0
"""Of our own work; nothing is recorded after it, and the file says so."""
_FIRST = 6
"""The first calls of a function, and those whose number is a power of two."""
_LEAVES = 24
_SHOWN = 64
_MAX_BYTES = 16 << 20
_MAX_NODES = 4000
_DEEPEST = 4
_NUMBERS = (bool, int, float, complex)
_NOT_CALLS = frozenset({"<module>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<lambda>"})
_clock = time.perf_counter


class ReturnRecorder:
    """Writes `returns.json` into the run folder when the rehearsal ends: {"rows", "lines", "defaulted", "complete"}.

    A row is {"function", "file", "line" (of the `return`, or of the call), "defined", "number" (of the call), "given"
    (digest), "results": [{"shape", "dtype", "digest", "values", "sorted"}]}.
    """

    def __init__(self, guard: Guard) -> None:
        self.guard = guard
        self.rows: list[dict[str, Any]] = []
        self.lines: dict[tuple[str, int], int] = {}
        self.defaulted = Defaulted()
        self.complete = True
        self._seconds = 0.0
        self._user: dict[CodeType, bool] = {}
        self._counts: dict[tuple[Any, ...], int] = {}
        self._open: dict[int, tuple[tuple[Any, ...], int, str]] = {}
        self._global = self._tracer()
        self._import = builtins.__import__
        self._libraries: dict[str, bool] = {}
        builtins.__import__ = self._importer()
        sys.settrace(self._global)

    def write(self) -> None:
        """Stop, and write what was seen."""
        sys.settrace(None)
        builtins.__import__ = self._import
        lines = [[file, line, count] for (file, line), count in self.lines.items()]
        document = {"rows": self.rows, "lines": lines, "defaulted": self.defaulted.found, "complete": self.complete}
        with (self.guard.sink.run_dir / FILE).open("x", encoding="utf-8") as file:
            json.dump(document, file)

    # -- what Python calls --------------------------------------------------------------------------------------------

    def _tracer(self) -> Any:
        """What Python calls when any function begins: it must be quick about what libraries call of each other."""
        user, is_user, call, local = self._user, self._is_user, self._call, self._local

        def begun(frame: FrameType, event: str, value: Any) -> Any:
            code = frame.f_code
            own = user.get(code)
            if own is None:
                own = is_user(code)
            if not own:
                above = frame.f_back
                if above is None or not user.get(above.f_code):
                    return None
                frame.f_trace_lines = False
            try:
                return local if call(frame) or own else None
            except Exception:
                self.complete = False
                return None

        return hidden(begun)

    def _local(self, frame: FrameType, event: str, value: Any) -> Any:
        try:
            if event == "line":
                self._line(frame)
            elif event == "return":
                self._return(frame, value)
        except Exception:
            # An error of ours would end the trace, and with it the comparison: the row is missing, no more.
            self.complete = False
        return self._local

    def _importer(self) -> Any:
        """`__import__` without a trace of a library's own import, which calls millions of functions."""
        original, tracer = self._import, self._global

        def __import__(name: str, *args: Any, **kwargs: Any) -> Any:
            if sys.gettrace() is not tracer or not self._is_library(name, *args):
                return original(name, *args, **kwargs)
            sys.settrace(None)
            try:
                return original(name, *args, **kwargs)
            finally:
                sys.settrace(tracer)

        return hidden(__import__)

    def _is_library(self, name: str, *args: Any) -> bool:
        top = name.partition(".")[0]
        if not top or (len(args) > 3 and args[3]):
            return False  # relative: its package is known by who imports
        if top not in self._libraries:
            try:
                spec = importlib.util.find_spec(top)
            except (ImportError, ValueError, AttributeError):
                spec = None
            places = [spec.origin, *(spec.submodule_search_locations or ())] if spec is not None else []
            self._libraries[top] = bool(places) and not any(is_user_file(f"{p}/") for p in places[:1] if p)
        return self._libraries[top]

    def _is_user(self, code: CodeType) -> bool:
        known = self._user.get(code)
        if known is None:
            known = self._user[code] = is_user_file(code.co_filename)
        return known

    def _line(self, frame: FrameType) -> None:
        key = (frame.f_code.co_filename, frame.f_lineno)
        self.lines[key] = self.lines.get(key, 0) + 1

    def _call(self, frame: FrameType) -> bool:
        """Note the arguments of a call that is looked at; False for one that is not."""
        above = frame.f_back
        from_user = above is not None and self._is_user(above.f_code)
        if self._is_user(frame.f_code):
            if frame.f_code.co_name in _NOT_CALLS:
                return False
            key: tuple[Any, ...] = (frame.f_code.co_filename, frame.f_code.co_firstlineno, frame.f_code.co_name)
        elif above is not None and from_user:
            key = (above.f_code.co_filename, above.f_lineno, _called(frame))
        else:
            return False
        number = self._counts[key] = self._counts.get(key, 0) + 1
        if number > _FIRST and number & (number - 1):
            return False
        if len(self.rows) >= MAX_ROWS or self._seconds > MAX_SECONDS:
            self.complete = False
            return False
        started = _clock()
        self._open[id(frame)] = (key, number, _given(frame))
        self._seconds += _clock() - started
        return True

    def _return(self, frame: FrameType, value: Any) -> None:
        if self._is_user(frame.f_code):
            self.defaulted.look(frame)
        opened = self._open.pop(id(frame), None)
        if opened is None:
            return
        started = _clock()
        key, number, given = opened
        results = [told for leaf in _leaves(value) if (told := _told(leaf)) is not None]
        if results:
            own = self._is_user(frame.f_code)
            line = frame.f_lineno if own else key[1]
            self.rows.append(
                {"function": key[2], "file": key[0], "line": line, "defined": key[1] if own else None, "own": own,
                 "number": number, "given": given, "results": results}
            )  # fmt: skip
        self._seconds += _clock() - started


def _called(frame: FrameType) -> str:
    """The name of what a line calls: of a `tf.function` that of its Python function."""
    names = frame.f_code.co_varnames
    this = frame.f_locals.get(names[0]) if names else None
    python = getattr(this, "__dict__", {}).get("_python_function")
    return str(getattr(python, "__name__", None) or frame.f_code.co_name)


def _given(frame: FrameType) -> str:
    """A digest of the arguments of a call that has just begun; objects count by their type."""
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)  # *args, **kwargs
    hashed = hashlib.sha256()
    for name in code.co_varnames[:count]:
        for leaf in _leaves(frame.f_locals.get(name), everything=True):
            hashed.update(name.encode())
            hashed.update(_bytes(leaf))
    return hashed.hexdigest()[:24]


def _leaves(value: Any, depth: int = 0, everything: bool = False) -> Iterator[Any]:
    """The numbers, arrays and tensors of a nest (of arguments everything), at most `_LEAVES` of a level."""
    if type(value) in (list, tuple) or isinstance(value, tuple):
        kept: Iterable[Any] = list(value)[: _MAX_NODES if everything else _LEAVES]
    elif type(value) is dict:
        kept = list(value.values())[:_LEAVES]
    else:
        if everything or isinstance(value, _NUMBERS) or compat.is_eager(value) or type(value).__name__ == "ndarray":
            yield value
        return
    for item in kept if depth < _DEEPEST else ():
        yield from _leaves(item, depth + 1, everything)


def _array(value: Any) -> Any:
    """The value as a NumPy array, or None where it is none or too large."""
    if compat.is_eager(value):
        if compat.bytes_of(value) > _MAX_BYTES or value.dtype.name in ("resource", "variant", "string"):
            return None
        return value.numpy()
    if type(value).__name__ == "ndarray" or hasattr(type(value), "__array_interface__"):
        return value if value.nbytes <= _MAX_BYTES and value.dtype.kind in "biufcV" else None
    return None


def _bytes(value: Any) -> bytes:
    array = _array(value)
    if array is not None:
        return repr((str(array.dtype), array.shape)).encode() + bytes(array.tobytes())
    if value is None or isinstance(value, (*_NUMBERS, str, bytes)):
        return f"{type(value).__name__}{value!r}".encode()
    return type(value).__name__.encode()


def _told(value: Any) -> dict[str, Any] | None:
    """One result: its shape, its type, a digest, and up to `_SHOWN` elements, also in ascending order."""
    if isinstance(value, _NUMBERS) and not hasattr(type(value), "__array_interface__"):
        number = [float(value.real)] if isinstance(value, complex) else [float(value)]
        return {"shape": [], "dtype": type(value).__name__, "digest": repr(value), "values": number, "sorted": number}
    array = _array(value)
    if array is None:
        return None
    np = sys.modules["numpy"]
    flat = array.astype("float32" if array.dtype.kind == "V" else array.dtype).reshape(-1)
    flat = flat.real if flat.dtype.kind == "c" else flat
    at = np.linspace(0, flat.size - 1, _SHOWN).round().astype(int) if flat.size > _SHOWN else slice(None)
    return {
        "shape": list(array.shape),
        "dtype": str(array.dtype),
        "digest": hashlib.sha256(array.tobytes()).hexdigest()[:24],
        "values": _floats(flat[at]),
        "sorted": _floats(np.sort(flat)[at]),
    }


def _floats(values: Any) -> list[float | None]:
    """As JSON holds them: what is no finite number is None."""
    return [float(v) if abs(float(v)) < float("inf") else None for v in values]
