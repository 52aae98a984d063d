"""What the program's own names hold: sizes and types of arrays, and what their numbers are, for who reads the source.

Looked at when the process ends, and the names of functions when a call of Keras ends that they made. No number is
written but those that are a name's only one; nothing is kept.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Mapping
from dis import get_instructions as instructions
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

from .. import compat, schema
from .clocks import of_thread
from .frames import is_user_file
from .guard import Guard
from .named_parts import odd_parts
from .python_values import names_of
from .sequences import unlike_rows, unwritten
from .table_keys import orders_of, rising_of

MAX_SECONDS = 0.3
MAX_NAMES = 300
MAX_NUMBERS = 1_000_000
MAX_FIELDS = 40
_FIELDS_DEEP = 2
_LEAST_ITEMS = 8
"""Of a list of anything that is noted."""
_MOST_FRAMES = 8
_MOST_CALLS = 12
_MOST_LOOKS = 2
"""Of the arrays of one function that trains by steps of its own."""
_MOST_TEXTS = 2000
_MOST_CLASSES = 1000
_OPTIMIZED = 0x1
_SEES_LOCALS = frozenset({"locals", "vars", "exec", "eval", "dir", "f_locals"})
_LOADS = ("LOAD_GLOBAL", "LOAD_NAME")


class NameRecorder:
    """Writes `names` events: {"file", "function", "names": {name: what it holds}}."""

    def __init__(self, guard: Guard) -> None:
        self.guard = guard
        self._seconds = 0.0
        self._calls = self._steps = 0
        self._next = 1
        self._fitted = False
        self._main: str | None = None
        """The file of the script: Python takes its name from the module before the process ends."""
        self._written: dict[tuple[str, str], Mapping[str, Any]] = {}
        self._asked: Counter[tuple[str, str]] = Counter()
        self._odd: set[tuple[str, str, str]] = set()

    def called(self, method: str) -> None:
        """A call of Keras ends: what do the functions hold that made it?"""
        self._calls += 1
        self._fitted = self._fitted or method in ("fit", "train_on_batch")
        if self._calls > _MOST_CALLS:
            return
        frame: FrameType | None = sys._getframe(1)
        found = 0
        while frame is not None and found < _MOST_FRAMES:
            code = frame.f_code
            if code.co_name == "<module>" and frame.f_globals.get("__name__") == "__main__":
                self._main = code.co_filename
            elif code.co_flags & _OPTIMIZED and is_user_file(code.co_filename) and not _sees_locals(code):
                found += 1
                held = _locals(frame)
                self._note(code.co_filename, code.co_name, held)
                if method == "step" and not self._fitted and self._asked[code.co_filename, code.co_name] < _MOST_LOOKS:
                    self._asked[code.co_filename, code.co_name] += 1
                    self._parts(code.co_filename, held, frame.f_lineno, code.co_name)
            frame = frame.f_back

    def directly(self) -> None:
        """A model has been called by a line of the program: what do the functions hold that came to it?"""
        self._calls, calls = 0, self._calls
        try:
            self.called("direct")
        finally:
            self._calls = calls

    def finished(self, frame: FrameType) -> None:
        """A function computes something of what it holds, as a mean of its results: what has it put into its arrays?"""
        code = frame.f_code
        if code.co_flags & _OPTIMIZED and not _sees_locals(code):
            self._note(code.co_filename, code.co_name, _locals(frame), written=True)

    def stepped(self) -> None:
        """A function that TensorFlow traced has run: what do the functions hold that called it? Seldom looked at."""
        self._steps += 1
        if self._steps == self._next and self._calls < _MOST_CALLS:
            self._next *= 2
            self.called("step")

    def at_exit(self) -> None:
        """The process ends: what do the modules hold?"""
        for module in list(sys.modules.values()):
            file = vars(module).get("__file__") if isinstance(module, ModuleType) else None
            if file is None and module is sys.modules.get("__main__"):
                file = self._main or str(Path((sys.argv or [""])[0]).absolute())
            if isinstance(file, str) and is_user_file(file):
                held = dict(vars(module))
                self._note(file, "<module>", held, written=True)
                if not self._fitted:
                    self._parts(file, held, None, "<module>")

    def _parts(self, file: str, held: Mapping[str, Any], line: int | None, function: str) -> None:
        """No `fit` was asked about its rows: are those odd that the names call a training and a test?"""
        if self._seconds >= MAX_SECONDS:
            return
        started, where = of_thread(), {"file": file, "line": line, "function": function}
        for what, rows, name in odd_parts(held):
            if (what, file, name) not in self._odd:
                self._odd.add((what, file, name))
                self.guard.sink.write(schema.SPLIT, what=what, rows=rows, name=name, used=where)
        self._seconds += of_thread() - started

    def _note(self, file: str, function: str, held: Mapping[str, Any], written: bool = False) -> None:
        """Note what names hold. An array that is being filled has rows that are not `written`, which says nothing."""
        started = of_thread()
        found: dict[str, Any] = {}
        for name, value in held.items():
            if self._seconds + of_thread() - started > MAX_SECONDS or len(found) >= MAX_NAMES:
                break
            if name.startswith("__"):
                continue
            facts = self.guard.part("names", facts_of, value)
            if facts and not written:
                facts.pop("rest", None)
            if facts:
                found[name] = facts
            elif value is not None:
                self.guard.part("names", add_fields, found, name, value)
        if found and self._written.get((file, function)) != found:
            self._written[file, function] = found
            self.guard.sink.write(schema.NAMES, file=file, function=function, names=found)
        self._seconds += of_thread() - started


def _sees_locals(code: CodeType) -> bool:
    """Whether a function may ask for its own names. `settings.dir` does not: only `dir` itself, and the like."""
    named = _SEES_LOCALS & {*code.co_names}
    return bool(named) and (
        "f_locals" in named or any(n.argval in named and n.opname in _LOADS for n in instructions(code))
    )


def _locals(frame: FrameType) -> dict[str, Any]:
    """A copy of the names of a function. Before Python 3.13, the frame keeps what it gives, and would keep the values
    alive: it is emptied again, unless somebody traces the function.
    """
    given = frame.f_locals
    held = dict(given)
    if sys.version_info < (3, 13) and sys.gettrace() is None:
        given.clear()
    return held


def names_of_frame(frame: FrameType) -> Mapping[str, Any]:
    """The names of a function or of a module; nothing of a function that may ask for its own."""
    if not frame.f_code.co_flags & _OPTIMIZED:
        return dict(frame.f_globals)
    if _sees_locals(frame.f_code):
        return {}
    found = _locals(frame)
    found.update({n: frame.f_globals[n] for n in frame.f_code.co_names if n in frame.f_globals and n not in found})
    return found


def facts_of(value: Any, numbers: bool = True) -> dict[str, Any] | None:
    """What a name holds; None of what is no array, table, number, or list of texts. The `numbers` of an array take time
    to look at.
    """
    numpy = sys.modules.get("numpy")
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return {"kind": "number", "value": value} if abs(value) < 1 << 53 else None
    if numpy is not None and isinstance(value, numpy.ndarray):
        if not numbers:
            return {"kind": "array", "shape": [int(n) for n in value.shape], "dtype": str(value.dtype)}
        return texts_of(value.ravel().tolist()) if value.dtype.kind in "US" else _of_array(numpy, value)
    if compat.is_eager(value):
        return {"kind": "tensor", "shape": [int(n) for n in value.shape], "dtype": value.dtype.name}
    if isinstance(value, (list, tuple)):
        return texts_of(value) or ({"kind": "list", "shape": [len(value)]} if len(value) >= _LEAST_ITEMS else None)
    if type(value).__module__.partition(".")[0] == "pandas" and hasattr(value, "index") and hasattr(value, "iloc"):
        keys = orders_of(value) if numbers else {}
        known = {"kind": "table", "shape": [int(n) for n in value.shape], "index": _index(value)}
        return {**known, "keys": keys, "rising": rising_of(value, keys)} if keys else known
    return None


def add_fields(found: dict[str, Any], name: str, value: Any, deep: int = _FIELDS_DEEP) -> None:
    """What the attributes of an object of a class of the program hold, as `name.attribute`, with the class."""
    module = sys.modules.get(type(value).__module__)
    file = getattr(module, "__file__", None)
    if not deep or not isinstance(file, str) or not is_user_file(file):
        return
    found[name] = {"kind": "object", "of": type(value).__name__}
    for field, inner in list(names_of(value).items())[:MAX_FIELDS]:
        if field.startswith("_") or len(found) >= MAX_NAMES:
            continue
        facts = facts_of(inner, numbers=False)
        if facts:
            found[f"{name}.{field}"] = {**facts, "of": type(value).__name__}
        else:
            add_fields(found, f"{name}.{field}", inner, deep - 1)


def _of_array(numpy: Any, array: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"kind": "array", "shape": [int(n) for n in array.shape], "dtype": str(array.dtype)}
    if array.dtype.kind not in "fiu" or not 0 < array.size <= MAX_NUMBERS:
        return found
    least, most = float(array.min()), float(array.max())
    flags = {
        "fraction": array.dtype.kind == "f" and bool((array != numpy.round(array)).any()),
        "padded": _padded(numpy, array),
        "grouped": array.ndim == 1 and array.dtype.kind in "iu" and _grouped(numpy, array),
        "unlike_rows": array.dtype.kind == "f" and array.ndim > 1 and unlike_rows(array),
        "by_frequency": array.ndim == 1 and array.dtype.kind in "iu" and _by_frequency(numpy, array),
    }
    rest = unwritten(array)
    if least == least and most == most and max(abs(least), abs(most)) < 1e300:
        found.update(least=least, most=most)
    found.update({name: True for name, holds in flags.items() if holds})
    return {**found, "rest": rest} if rest else found


def _padded(numpy: Any, array: Any) -> bool:
    """Whether rows end in zeros from different places on, and have none before."""
    if array.ndim != 2 or array.shape[1] < 3:
        return False
    there = array != 0
    lengths = there.sum(1)
    ends = array.shape[1] - there[:, ::-1].argmax(1)
    tight = bool((there.any(1) & (ends == lengths)).all())
    return tight and len(numpy.unique(lengths)) > 2 and float(lengths.mean()) < 0.95 * array.shape[1]


def _grouped(numpy: Any, array: Any) -> bool:
    """Whether numbers name groups of several rows each."""
    many = len(numpy.unique(array))
    return 3 <= many <= len(array) // 3


def _by_frequency(numpy: Any, array: Any) -> bool:
    """Whether they are class numbers, of which each has no more rows than the one before it."""
    if array.min() != 0 or array.max() >= _MOST_CLASSES or len(array) < _LEAST_ITEMS:
        return False
    counts = numpy.bincount(array)
    return len(counts) > 1 and bool((counts > 0).all() and (counts[1:] <= counts[:-1]).all())


def texts_of(values: Any) -> dict[str, Any] | None:
    """Texts that end in numbers: are they in the order of text, and not in that of their numbers?"""
    if not 2 <= len(values) <= _MOST_TEXTS:
        return None
    texts = [str(v) for v in values if isinstance(v, str) or hasattr(v, "__fspath__")]
    if len(texts) != len(values):
        return None
    keys = [tuple(re.split(r"(\d{1,15})", t)) for t in texts]
    numbered = [tuple(int(p) if n % 2 else p for n, p in enumerate(k)) for k in keys]
    alike = len({k[::2] for k in keys}) == 1  # they differ in their numbers alone
    by_text = alike and texts == sorted(texts) and numbered != sorted(numbered)
    return {"kind": "texts", "shape": [len(texts)], **({"by_text": True} if by_text else {})}


def _index(table: Any) -> str:
    """How the rows of a table of pandas are labelled: from 0 on, so in another order, with gaps, or otherwise."""
    labels = table.index
    if type(labels).__name__ == "RangeIndex":
        return "range" if (labels.start, labels.step) == (0, 1) else "gaps"
    if getattr(labels, "dtype", None) is None or labels.dtype.kind not in "iu" or len(labels) > MAX_NUMBERS:
        return "other"
    numbers = labels.to_numpy()
    whole = len(numbers) and sys.modules["numpy"].sort(numbers)[0] == 0 and int(numbers.max()) == len(numbers) - 1
    if not whole:
        return "gaps"
    return "range" if bool((numbers[1:] > numbers[:-1]).all()) else "permuted"
