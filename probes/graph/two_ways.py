"""Two ways of one function, called on the same made-up arguments: are they alike, and if not, does one of them take an
argument with another sign, or its components in another order, or give a multiple?
"""

from __future__ import annotations

import dataclasses
import math
import runpy
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..protocol.answers import TwoWays
from ..protocol.requests import CompareTwoWays
from .errors import Refused

_ALIKE, _APART = 0.05, 0.15
_FACTOR = 0.02
_SEED = 7
_LEAST = 8
_TURNED = ("negated", "swapped", "swapped-negated")
Spec = tuple[tuple[int, ...], ...]
_ONE: tuple[Spec, ...] = (((3, 12, 9),), ((12, 12),), ((3, 12, 9, 1),), ((5, 6),))
_TWO: tuple[Spec, ...] = (
    ((3, 12, 9, 1), (3, 2)), ((3, 12, 9), (3, 2)), ((3, 12, 9), (3, 12, 9)), ((12, 9), (2,)), ((5, 6), (5, 6)),
    ((5, 6), (6, 4)),
)  # fmt: skip


def two_ways(request: CompareTwoWays) -> TwoWays:
    """How the two differ, on the first arguments that both take.

    Raises:
        Refused: none of the arguments that were tried suits both.
    """
    with tempfile.TemporaryDirectory(prefix="two-ways-") as folder:  # AutoGraph reads the source of what it traces
        texts = (Path(folder, "on.py"), request.on), (Path(folder, "off.py"), request.off)
        on, off = (_function(file, text, request.name) for file, text in texts)
        told, given = _of(on, off, request)
        if told.relation not in _TURNED:
            return told
        other = _result(off if request.taken == "on" else on, given)
        file = Path(folder, "trial.py")
        agreeing = [n for n, text in enumerate(request.trials) if _agrees(file, text, request.name, given, other)]
        return dataclasses.replace(told, agreeing=tuple(agreeing))


def _agrees(file: Path, text: str, name: str, given: Sequence[Any], other: Any) -> bool:
    """Whether a program gives this result."""
    try:
        value = _result(_function(file, text, name), given)
    except Exception:  # a change may not suit
        return False
    return value is not None and value.shape == other.shape and _apart(other, value) < _ALIKE


def _of(on: Callable[..., Any], off: Callable[..., Any], request: CompareTwoWays) -> tuple[TwoWays, list[Any]]:
    error = "there are no such arguments"
    for shapes in (*request.shapes, *({1: _ONE, 2: _TWO}.get(request.count, ()))):
        for kind in ("float32", "complex64"):
            given = _arguments(shapes, kind)
            try:
                first, second = _result(on, given), _result(off, given)
            except Exception as raised:  # the next ones may suit
                error = f"{type(raised).__name__}: {raised}"[:300]
                continue
            if first is not None and second is not None and first.shape == second.shape:
                return _compared(first, off, given), given
    raise Refused(f"no made-up arguments suit both ways: {error}")


def _function(file: Path, text: str, name: str) -> Callable[..., Any]:
    file.write_text(text, encoding="utf-8")
    found: Callable[..., Any] = runpy.run_path(str(file))[name]
    return found


def _arguments(shapes: Sequence[Sequence[int]], kind: str) -> list[Any]:
    """Smooth ones, so that parts of a pixel matter little; of two or three components at the end, moves."""
    import numpy as np

    draw = np.random.default_rng(_SEED)
    found = []
    for shape in shapes:
        if 2 in shape[1:] or tuple(shape) == (2,):
            found.append(draw.uniform(0.6, 2.4, shape).astype("float32") * draw.choice([-1, 1], shape))
            found[-1] = found[-1].astype("float32")
            continue
        value = np.zeros(shape, "complex128")
        for _ in range(4):
            waves = [np.cos(draw.uniform(0.3, 0.9) * np.arange(n) + draw.uniform(0, 6)) for n in shape]
            one = np.ones(())
            for wave in waves:
                one = np.multiply.outer(one, wave)
            value = value + one * np.exp(1j * draw.uniform(0, 6))
        found.append(value.astype(kind) if kind == "complex64" else value.real.astype(kind))
    return found


def _result(function: Callable[..., Any], given: Sequence[Any]) -> Any:
    """What it gives, as an array; None of what is not one tensor of numbers that differ."""
    import numpy as np
    import tensorflow as tf

    made = function(*[tf.constant(g) for g in given])
    if not tf.is_tensor(made) or not (made.dtype.is_floating or made.dtype.is_complex):
        return None
    value = made.numpy()
    usable = value.size >= _LEAST and bool(np.isfinite(value).all()) and float(np.abs(value - value.mean()).max()) > 0
    return value if usable else None


def _compared(first: Any, off: Callable[..., Any], given: list[Any]) -> TwoWays:
    """How the second way must be called, or what its result must be multiplied by, to give what the first one does."""
    second = _result(off, given)
    apart = _apart(first, second)
    if apart < _APART:
        return TwoWays("alike" if apart < _ALIKE else "apart", deviation=apart)
    for relation, argument, changed in _changed(given):
        try:
            other = _result(off, changed)
        except Exception:  # a way may not take it
            other = None
        if other is not None and other.shape == first.shape and _apart(first, other) < _ALIKE:
            return TwoWays(relation, argument=argument, deviation=apart)
    factor = _factor(first, second)
    if factor is not None:
        return TwoWays("scaled", factor=factor, deviation=apart)
    return TwoWays("apart", deviation=apart)


def _changed(given: list[Any]) -> Iterator[tuple[str, int, list[Any]]]:
    """(relation, number of the argument, the arguments with it changed): of moves, which have few components."""
    for number, value in enumerate(given):
        axes = [a for a, n in enumerate(value.shape) if n == 2 and (a > 0 or value.ndim == 1)]
        if not axes:
            continue
        turned = value.take([1, 0], axis=axes[-1])
        for relation, changed in (("negated", -value), ("swapped", turned), ("swapped-negated", -turned)):
            yield relation, number, [*given[:number], changed, *given[number + 1 :]]


def _apart(first: Any, second: Any) -> float:
    """The mean difference, relative to the mean magnitude."""
    import numpy as np

    return float(np.abs(first - second).mean() / max(float(np.abs(first).mean()), 1e-30))


def _factor(first: Any, second: Any) -> float | None:
    """What the second result must be multiplied by."""
    import numpy as np

    factor = complex(np.vdot(second, first) / max(float(np.vdot(second, second).real), 1e-30))
    size = factor.real
    same = abs(factor.imag) < _FACTOR * abs(size) and _apart(first, size * second) < _FACTOR / 10
    return size if same and math.isfinite(size) and size > 0 and abs(size - 1) > _FACTOR else None
