"""Tables of pandas whose rows the program does not get as it takes them: a merge that multiplies them, and a column
whose labels are not those of the table, assigned or put beside it.

The functions of pandas work as they do; sizes and labels are compared afterwards.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from .. import schema
from .clocks import of_thread
from .frames import followed, user_frames
from .guard import Guard
from .importhook import PostImportFinder

MAX_EVENTS = 20
MAX_CALLS = 2000
MAX_SECONDS = 0.2
_MOST_LABELS = 1_000_000


class PandasRecorder:
    """Writes `split` events of the kinds `multiplied` and `relabelled`."""

    def __init__(self, guard: Guard, finder: PostImportFinder) -> None:
        self.guard = guard
        self._calls = 0
        self._seconds = 0.0
        self._seen: set[tuple[Any, ...]] = set()
        finder.when_imported("pandas", self._hook)

    def _hook(self, pandas: ModuleType) -> None:
        frame: Any = pandas.DataFrame

        def merged(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            self._timed("merge", self._merged, args, kwargs, result)

        def assigned(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            self._timed("column", self._assigned, args)

        def beside(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            self._timed("concat", self._beside, args, kwargs, result)

        def joined(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            self._timed("join", self._joined, args, kwargs)

        self.guard.hooks.put(pandas, "concat", followed(pandas.concat, beside))
        self.guard.hooks.put(frame, "join", followed(frame.join, joined))
        self.guard.hooks.put(frame, "merge", followed(frame.merge, merged))
        self.guard.hooks.put(pandas, "merge", followed(pandas.merge, merged))
        self.guard.hooks.put(frame, "__setitem__", followed(frame.__setitem__, assigned))

    def _timed(self, what: str, look: Any, *args: Any) -> None:
        if self._calls >= MAX_CALLS or self._seconds > MAX_SECONDS or len(self._seen) >= MAX_EVENTS:
            return
        self._calls += 1
        started = of_thread()
        self.guard.run(what, look, *args)
        self._seconds += of_thread() - started

    def _merged(self, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        given = [*args[:2], *(kwargs[k] for k in ("left", "right") if k in kwargs)]
        sizes = [len(t) for t in given if hasattr(t, "columns")]
        if len(sizes) != 2 or "cross" in (kwargs.get("how"), *args[2:3]) or kwargs.get("validate"):
            return
        if len(result) > max(sizes) and kwargs.get("how", "inner") not in ("outer", "right"):
            self._write("multiplied", [len(result), sizes[0]])

    def _assigned(self, args: tuple[Any, ...]) -> None:
        """`table[name] = series`: rows are joined by their labels."""
        if len(args) != 3 or type(args[2]).__name__ != "Series" or not 2 < len(args[2]) <= _MOST_LABELS:
            return
        table, series = args[0].index, args[2].index
        if len(table) != len(series) or type(series).__name__ != "RangeIndex" or table.equals(series):
            return
        if table.dtype.kind in "iu" and (series.start, series.step) == (0, 1):
            moved = int((table.to_numpy() != series.to_numpy()).sum())
            self._write("relabelled", [moved, len(table)])

    def _beside(self, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """`pd.concat([table, series], axis=1)`: as many rows in both, but not the same labels."""
        axis = kwargs.get("axis", args[1] if len(args) > 1 else 0)
        parts = args[0] if args else kwargs.get("objs")
        if axis in (1, "columns") and isinstance(parts, (list, tuple)) and len(parts) == 2:
            self._compared(*parts)

    def _joined(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """`table.join(series)`, where no key is named."""
        other = args[1] if len(args) > 1 else kwargs.get("other")
        if kwargs.get("on") is None and len(args) < 3 and hasattr(other, "index"):
            self._compared(args[0], other)

    def _compared(self, one: Any, other: Any) -> None:
        """Of two tables with as many rows, one is labelled from 0 on, and the other has labels that are not there."""
        first, second = (getattr(t, "index", None) for t in (one, other))
        if first is None or second is None or not 2 < len(one) == len(other) <= _MOST_LABELS:
            return
        plain = [i for i in (first, second) if type(i).__name__ == "RangeIndex" and (i.start, i.step) == (0, 1)]
        if len(plain) == 1 and first.dtype.kind in "iu" and second.dtype.kind in "iu":
            moved = int((first.to_numpy() != second.to_numpy()).sum())
            if int(max(first.max(), second.max())) >= len(one):  # some row meets none
                self._write("relabelled", [moved, len(one)])

    def _write(self, what: str, rows: list[int]) -> None:
        frames = user_frames(skip=4, limit=1)
        where = frames[0] if frames else None
        key = (what, str(where))
        if where is not None and key not in self._seen:
            self._seen.add(key)
            self.guard.sink.write(schema.SPLIT, what=what, where=where, rows=rows, used=where)
