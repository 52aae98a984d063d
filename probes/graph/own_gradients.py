"""Is the gradient that a program gives a function of its own the gradient of that function?

Small differences of the recorded graph say what it should be; the graph says what it is, also for other gradients from
above than those of the run. Many gradients are meant to be others: of a step or a rounding, of a clipped or piecewise
straight function of single elements, of what hands its input on; one that is clipped or normalised, or stopped. These
are left out. Which gradient is meant of a smooth function is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .differences import Differences
from .errors import GraphRoomError
from .ir import Graph, ancestors, split
from .load import load
from .measure import Array
from .step import frames_once
from .summed import operands, summed

_TRIALS = 6
_APART = 0.2
"""A gradient that is off by less may be that of an approximation that is meant."""
_AGREES = 1e-2
_TINY = 1e-9
_BIG = 200_000
"""Elements of a tensor: larger ones are not asked about."""


@dataclass(frozen=True)
class _Call:
    """A call of a function with a gradient of its own, by flat names; "" for what is no tensor of floats."""

    arguments: tuple[str, ...]
    results: tuple[str, ...]
    upstream: tuple[str, ...]
    gradients: tuple[str, ...]


def own_gradients(request: Any) -> dict[str, Any]:
    """{"result": "asked" or "not-checked", "why", "found": [{"mark", "kind": ignored, factor, apart, left-out or
    summed, ...}], "passed": marks that are as they should be}.
    """
    marks = [dict(m) for m in request.marks]
    wanted: dict[str, list[tuple[str, ...]]] = {}
    for mark in marks:
        wanted.setdefault(str(mark["graph"]), []).append(_names(mark))
    found, passed = [], []
    try:
        with frames_once() as frames:
            program = load(Path(request.capsule))
            here = Differences(program, frames, wanted, _beside if "taken" in {m["what"] for m in marks} else _nothing)
            places = {uid: iter(groups) for uid, groups in here.groups.items()}
            for number, mark in enumerate(marks):
                names = next(places[str(mark["graph"])])
                told = _asked(here, mark, names) if names else None
                if told is not None and told.get("kind"):
                    found.append({"mark": number, "exact": here.exact, **told})
                elif told is not None:
                    passed.append(number)
    except GraphRoomError as error:
        return {"result": "not-checked", "why": str(error)}
    return {"result": "asked", "why": None, "found": found, "passed": passed}


def _beside(graph: Graph, named: Sequence[str]) -> list[str]:
    return [other for tensor in named for other in operands(graph, tensor).values()]


def _nothing(graph: Graph, named: Sequence[str]) -> list[str]:
    return []


_PARTS = ("arguments", "results", "upstream", "gradients")


def _names(mark: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(t or "" for part in _PARTS for t in mark[part])


def _asked(here: Differences, mark: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any] | None:
    """What is wrong; {} for nothing, None where nothing can be said."""
    parts, start = [], 0
    for part in _PARTS:
        parts.append(tuple(names[start : start + len(mark[part])]))
        start += len(mark[part])
    if any(t and (t not in here.values or here.values[t].size > _BIG) for t in names):
        return None
    if mark["what"] == "taken":
        return summed(here, parts[0][0], parts[1][0], parts[3][0])
    return _Judge(here, _Call(*parts)).told()


class _Judge:
    """Compares the gradient of one call with differences of its results."""

    def __init__(self, here: Differences, call: _Call) -> None:
        self._here = here
        self._call = call
        self._random = np.random.default_rng(7)
        pairs = zip(call.results, call.upstream, strict=True)
        self._given = [(i, r, u) for i, (r, u) in enumerate(pairs) if r and u]
        self._wanted = [
            (i, a, g) for i, (a, g) in enumerate(zip(call.arguments, call.gradients, strict=True)) if a and g
        ]

    def told(self) -> dict[str, Any] | None:
        """What is wrong; {} for nothing, None where nothing can be said."""
        if not self._given or not self._wanted:
            return None
        reached = ancestors(self._here.graph, [r for _, r, _ in self._given])
        wanted = [(i, a, g) for i, a, g in self._wanted if split(a)[0] in reached]
        done = [self._one(i, a, g) for i, a, g in wanted]
        wrong = [d for d in done if d]
        if wrong:
            return min(wrong, key=lambda d: _ORDER.index(d["kind"]))
        return {} if any(d == {} for d in done) else None

    def _one(self, number: int, argument: str, gradient: str) -> dict[str, Any] | None:
        """The gradient by one argument."""
        here = {g: self._here.values[u] for _, g, u in self._given}
        own = self._gradient(gradient, here, {})
        draws = [self._gradient(gradient, {r: self._noise(v.shape) for r, v in here.items()}, {}) for _ in range(3)]
        known = [d for d in draws if d is not None and np.abs(d).max(initial=0)]
        if own is None or len(known) < len(draws):
            return None  # it is stopped there, as a program may want
        if all(_same(known[0], d) for d in known[1:]):
            ones = all((v == 1).all() for v in here.values())
            return {} if ones else {"kind": "ignored", "argument": number}
        if not self._linear(gradient, here):
            return None
        return self._compared(number, argument, gradient)

    def _linear(self, gradient: str, here: Mapping[str, Array]) -> bool:
        """Whether twice the gradient from above gives twice the gradient: one that is clipped is meant so."""
        up = {r: self._noise(v.shape) for r, v in here.items()}
        one = self._gradient(gradient, up, {})
        for k in (1000.0, -1.0):
            other = self._gradient(gradient, {r: k * v for r, v in up.items()}, {})
            if one is None or other is None or not _same(other, k * one, 1e-3):
                return False
        return True

    def _compared(self, number: int, argument: str, gradient: str) -> dict[str, Any] | None:
        """The gradient against differences, for each result by itself."""
        unsure: dict[str, Any] | None = None
        left_out: dict[str, Any] = {}
        for at, result, upstream in self._given:
            trials = [t for point in range(2) for t in self._trials(argument, gradient, result, point)]
            moved = [t for t in trials if abs(t[0]) > _TINY]
            if len(trials) < _TRIALS or len(moved) < 0.8 * len(trials) or self._is_straight(argument, result):
                continue
            unsure = {}
            apart = [abs(d - g) / max(abs(d), abs(g)) for d, g in moved]
            told = {"argument": number, "output": at, "apart": float(np.median(apart))}
            ratios = [g / d for d, g in moved]
            if all(g == 0 for _, g in trials):
                if np.abs(self._here.values[upstream]).max(initial=0) and len(self._given) > 1:
                    left_out = {**told, "kind": "left-out"}
            elif np.mean([a > _APART for a in apart]) >= 0.8 and np.mean([a > _AGREES for a in apart]) == 1:
                factor = float(np.median(ratios))
                steady = max(abs(r - factor) for r in ratios) <= _AGREES * abs(factor)
                return {**told, "kind": "factor" if steady else "apart", **({"factor": factor} if steady else {})}
        return left_out or unsure

    def _trials(self, argument: str, gradient: str, result: str, point: int) -> list[tuple[float, float]]:
        """(the difference, what the gradient says) along random ways; those left out at which it is not smooth."""
        value = np.asarray(self._here.values[argument], np.float64)
        step, found = self._here.step_of(argument), []
        up = {r: np.zeros(self._here.values[u].shape) for _, r, u in self._given}
        for _ in range(_TRIALS):
            at = value + 0.3 * point * (np.abs(value) + 0.1) * self._random.uniform(-1, 1, value.shape)
            way, up[result] = self._noise(value.shape), self._noise(self._here.values[result].shape)
            own = self._gradient(gradient, up, {argument: at})
            around = [self._here.run({argument: at + k * step * way}, [result]) for k in (-2, -1, 1, 2)]
            if own is None or any(a is None for a in around):
                continue
            below, low, high, above = (float(np.sum(a[0] * up[result])) for a in around if a is not None)
            one, two = (high - low) / (2 * step), (above - below) / (4 * step)
            if abs(one - two) <= 1e-2 * max(abs(one), abs(two)) + _TINY:
                found.append((one, float(np.sum(own * way))))
        return found

    def _is_straight(self, argument: str, result: str) -> bool:
        """Whether each element of the result follows from its own of the argument alone, along straight pieces: a
        clipped value, or one that is handed on, whose gradient is often another one on purpose.
        """
        value = np.asarray(self._here.values[argument], np.float64)
        own = self._here.run({argument: value}, [result])
        if own is None or own[0].shape != value.shape:
            return False
        some = self._random.random(value.shape) < 0.5
        way = np.where(some, self._noise(value.shape), 0.0) * 300 * self._here.step_of(argument)
        there, back = (self._here.run({argument: value + k * way}, [result]) for k in (1, -1))
        if there is None or back is None:
            return False
        moved, bent = np.abs(there[0] - own[0]), np.abs(there[0] + back[0] - 2 * own[0])
        if (moved[~some] > _TINY).any():
            return False
        return bool(np.mean(bent[some] > 1e-4 * moved[some] + _TINY) < 0.5)

    def _gradient(self, gradient: str, upstream: Mapping[str, Array], given: Mapping[str, Array]) -> Array | None:
        """What the graph gives for a gradient from above, by result, at given arguments."""
        up = {u: upstream[r] for _, r, u in self._given}
        fed = {**given, **up}
        if gradient in fed:
            return np.asarray(fed[gradient], np.float64)
        found = self._here.run(fed, [gradient])
        return None if found is None else found[0]

    def _noise(self, shape: Sequence[int]) -> Array:
        return np.asarray(self._random.normal(size=shape))


_ORDER = ("ignored", "factor", "apart", "left-out")


def _same(a: Array, b: Array, within: float = 1e-6) -> bool:
    return a.shape == b.shape and float(np.abs(a - b).max(initial=0)) <= within * float(np.abs(a).max(initial=0))
