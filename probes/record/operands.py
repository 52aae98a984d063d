"""Eager programs: two operands of which broadcasting makes every pair of rows, as (N, 1) with (N,) does.

No graph tells of ops that run eagerly, so Python's operators of a tensor, and equality, are looked at where nothing is
traced: so many calls, or so much time of our own, and then TensorFlow's own functions are back in their places. Which
operand a gradient is wanted of, the tape says: of a prediction, and not of a target.
"""

from __future__ import annotations

import linecache
import time
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from .. import compat, schema
from .frames import followed, user_frames
from .guard import Guard
from .importhook import PostImportFinder

_clock = time.perf_counter

OPERATORS = {
    "__sub__": "Sub", "__rsub__": "Sub", "__mul__": "Mul", "__rmul__": "Mul", "__truediv__": "RealDiv",
    "__rtruediv__": "RealDiv",
}  # fmt: skip
EQUALITIES = {"equal": "Equal", "not_equal": "NotEqual"}
"""An accuracy compares labels with guesses, and no gradient is taken of it: these count without a tape."""
MAX_CALLS = 4000
MAX_SECONDS = 0.05
"""Of our own work."""
MAX_EVENTS = 20
_GIVEN = ("None", "newaxis", "expand_dims", "reshape")
"""What stands in a line that gives an operand an axis on purpose."""


class OperandRecorder:
    """Writes `meeting` events: operands of one op that have rows along different axes."""

    def __init__(self, guard: Guard, finder: PostImportFinder) -> None:
        self.guard = guard
        self.predicted: Callable[[Any], bool] = lambda value: False
        """Whether an eager tensor is the result of a model that the program called."""
        self._left = MAX_CALLS
        self._seconds = 0.0
        self._seen: set[tuple[Any, ...]] = set()
        self._pairs: dict[int, dict[str, Any]] = {}
        """What was written of all pairs of N rows of which no gradient was wanted, by N."""
        self._mine: list[tuple[Any, str, Callable[..., Any], Callable[..., Any]]] = []
        finder.when_imported("tensorflow", self._hook)

    def _hook(self, _: ModuleType) -> None:
        cls: Any = compat.tensor_class()
        for name in OPERATORS:
            original = cls.__dict__.get(name)
            if callable(original):
                watched = self._watched(name, original)
                self._put(cls, name, original, watched)
        module = self.guard.part("equalities", compat.equality_module)
        for name in EQUALITIES if module is not None else ():
            original = getattr(module, name)
            self._put(module, name, original, self._watched(name, original))

    def _put(self, holder: Any, name: str, original: Callable[..., Any], watched: Callable[..., Any]) -> None:
        self._mine.append((holder, name, original, watched))
        self.guard.hooks.put(holder, name, watched)

    def _watched(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def met(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            if self._left > 0 and len(args) > 1 and compat.is_eager(args[0]):
                self.guard.run("operands", self._met, name, *args[:2])

        return followed(original, met)

    def _met(self, name: str, left: Any, right: Any) -> None:
        started = _clock()
        self._left -= 1
        shapes = [compat.dims(getattr(v, "shape", None)) for v in (left, right)]
        if shapes[0] and shapes[1] and len(shapes[0]) != len(shapes[1]) and type(right).__name__ in _TENSORS:
            self._note(name, (left, right), shapes)  # type: ignore[arg-type]
        if self._pairs and name == "__sub__" and all(shapes):
            self._learn((left, right), shapes)  # type: ignore[arg-type]
        self._seconds += _clock() - started
        if self._left <= 0 or self._seconds > MAX_SECONDS or len(self._seen) >= MAX_EVENTS:
            self._left = 0
            self._take_back()

    def _note(self, name: str, operands: Sequence[Any], shapes: Sequence[list[int]]) -> None:
        pairs = pairs_of_rows(*shapes)
        if pairs is None:
            return
        watched = [compat.is_watched(v) for v in operands]
        # Sizes that differ are no rows of one batch, unless a prediction is taken from data.
        if pairs[0] != pairs[1] and (_op(name) != "Sub" or watched[0] == watched[1]):
            return
        if name in EQUALITIES and _same(*operands):
            return  # which rows have one label: all pairs are wanted
        frames = user_frames(skip=4, limit=8)
        where = frames[0] if frames else None
        key = (str((where or {}).get("file")), (where or {}).get("line"), name)
        if where is None or key in self._seen:
            return
        self._seen.add(key)
        text = linecache.getline(str(where["file"]), int(where["line"]))
        told = {
            "op": _op(name),
            "shapes": [list(s) for s in shapes],
            "watched": watched,
            "predicted": [not any(watched) and self.predicted(v) for v in operands],
            "given": any(word in text for word in _GIVEN),
            "where": where,
            "frames": frames,
        }
        self.guard.sink.write(schema.MEETING, **told)
        if pairs[0] == pairs[1] and not any(watched) and not told["given"]:
            self._pairs.setdefault(pairs[0], told)

    def _learn(self, operands: Sequence[Any], shapes: Sequence[list[int]]) -> None:
        """All pairs of N rows, minus N numbers that a gradient is wanted of, or those minus them: they are targets."""
        for at, (table, rows) in enumerate((shapes, shapes[::-1])):
            size = table[0]
            if table != [size, size] or rows not in ([size], [size, 1]) or size not in self._pairs:
                continue
            if compat.is_watched(operands[1 - at]) and not compat.is_watched(operands[at]):
                taught = next(iter(user_frames(skip=4, limit=1)), None)
                self.guard.sink.write(schema.MEETING, **self._pairs.pop(size), taught=taught)

    def _take_back(self) -> None:
        """TensorFlow's own methods again, where nobody else has put another one in the place of ours."""
        for holder, name, original, watched in self._mine:
            if holder.__dict__.get(name) is watched:
                setattr(holder, name, original)


def _op(name: str) -> str:
    return OPERATORS.get(name) or EQUALITIES[name]


def _same(one: Any, other: Any) -> bool:
    """Whether both hold the same values, in one order."""
    first, second = (getattr(v, "numpy", lambda v=v: v)().ravel() for v in (one, other))
    return bool(first.size == second.size and (first == second).all())


_TENSORS = frozenset({"EagerTensor", "ndarray"})


def pairs_of_rows(one: Sequence[int], other: Sequence[int]) -> tuple[int, int] | None:
    """How many rows of each operand are paired, each with each: where the one with more axes has one item along the
    leading axis of the other, and rows along its own.

    (N, 1) with (M,) gives (N, M); (N, 1, D) with (M, D) gives (M, D) for each of N. None for what broadcasts otherwise.
    """
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    axis = len(longer) - len(shorter)
    if axis < 1 or not shorter or longer[0] < 2 or shorter[0] < 2 or longer[axis] != 1:
        return None
    return longer[0], shorter[0]
