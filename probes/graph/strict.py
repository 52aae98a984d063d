"""The search for the first op that gives something else under XLA, for a verdict: what rounding explains is no
difference, and an op at which rounding decides is remembered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import compiled
from .diverge import Search
from .ir import ancestors, split
from .measure import Array, Results, deviation, wide
from .optionals import unwrap
from .randomness import ops_within
from .sensitivity import ACCUMULATES, NUDGE, Run, floor, narrow, nudged, stagnates
from .transform import cut_name, truncate

_AMBIGUOUS = frozenset({"Qr", "Svd", "SelfAdjointEigV2", "Eig"})
"""Right with either sign of a vector: what differs after them is their doing."""
_STEPS = frozenset(
    {"Floor", "Ceil", "Round", "Rint", "Sign", "FloorDiv", "FloorMod", "Mod", "TruncateDiv", "TruncateMod"}
)
_SMOOTH = frozenset({1, 2, 8, 14, 18, 19})
_WHOLE = frozenset({3, 4, 5, 6, 9, 10, 17, 22, 23})
"""Element types by number: real and complex ones; whole numbers and truth values."""
_SEEDS = range(101, 105)
_SHARE = 0.25
"""An element that moves by this part of its difference when the inputs are moved is explained."""
_LEAST: Mapping[str, float] = {"f8": 1e-9, "c16": 1e-9, "f4": 1e-4, "c8": 1e-4, "f2": 2e-2}
_LEAST_OTHERWISE = 0.125
"""Relative differences below are approximations of a function, or the eight bits of bfloat16."""
VARIANT = 21
"""The element type of a list of tensors, by number."""


class Strict(Search):
    """`Search` that takes no difference for one which rounding can make."""

    @property
    def incomplete(self) -> bool:
        """Whether there are ops that differ and could not be asked."""
        return bool(self.unchecked) or self.full

    tie: dict[str, Any] | None = None
    """The first node that decides (a comparison, a cast to whole numbers, a step) and decided otherwise under XLA."""

    def _part(self, name: str, results: Mapping[str, tuple[Array, Array]]) -> None:
        if self.tie is None and self._decides(name) and any(differs(a, b).any() for a, b in results.values()
                                                           if a.shape == b.shape):  # fmt: skip
            self.tie = self._told(name, None, None, (None, None))

    def _decides(self, name: str) -> bool:
        """Whether a node makes steps of numbers that vary smoothly."""
        node = self._graph.nodes[name]
        if not any(self._graph.dtype(t) in _SMOOTH for t in node.inputs):
            return False
        return node.op in _STEPS or any(self._graph.dtype(f"{name}:{i}") in _WHOLE
                                        for i in range(len(self._loaded.outputs(name))))  # fmt: skip

    def told_of(self, name: str) -> dict[str, Any]:
        """What it says of an op that differs and was not asked alone, for want of a value that it is given. Of one that
        takes a list of tensors it is the op that made the list: what XLA makes of a list is decided there.
        """
        graph = self._graph
        seen: set[str] = set()
        while name not in seen:
            seen.add(name)
            lists = [split(t)[0] for t in graph.nodes[name].inputs if graph.dtype(t) == VARIANT]
            inputs = {i.name for i in graph.inputs}
            if lists and lists[0] not in inputs:
                name = lists[0]
        return self._told(name, None, None, (None, None))

    def _allowed(self, run: Run, known: Mapping[str, Array], plain: Results) -> dict[str, float]:
        # In 16 bits moved inputs move a long sum as they please: `explained` looks at each element instead.
        return {
            name: min(far, floor(plain[name], known)) if narrow(plain[name]) else far
            for name, far in super()._allowed(run, known, plain).items()
        }

    def _alone(self, name: str, outputs: Sequence[str], values: dict[str, Array]) -> dict[str, Any] | None:
        found = super()._alone(name, outputs, values)
        if found is None or found["message"] is not None:
            return found
        ops = {self._graph.nodes[name].op, *ops_within(self._graph, name, set())}
        if ops & _AMBIGUOUS and all(a == b for a, b in [found["shapes"]]):
            return None
        known = self.known(name, values)
        run = self._runs(outputs)
        told, plain = run(known)
        if told["outcome"] != "passed" or (ops & ACCUMULATES and stagnates(plain, values)):
            return found
        if explained(run, known, plain, {t: values[t] for t in outputs}):
            return found if len(ops) == 1 and self._by_itself(name, known, plain, found) else None
        return found

    def _by_itself(self, name: str, known: Mapping[str, Array], plain: Results, found: Mapping[str, Any]) -> bool:
        """Whether an op that is compiled alone gives NaN or infinity where the plain one gives a number, or the
        reverse. Nothing is then fused with it: its inputs are the very same, and a zero among them is no small number.
        Where a number was too small for XLA, the op is remembered as one that decides.
        """
        graph = self._graph
        part = truncate(graph, list(plain), (), [t for t in known if graph.nodes[split(t)[0]].op != "Const"])
        given = {t: v for t, v in self._arguments.items() if t in known} | {cut_name(t): v for t, v in known.items()}
        others = dict(zip(plain, compiled.run_compiled(unwrap(part), given), strict=True))
        self.compilations += 1
        if not any(_finite_apart(a, others[t]) for t, a in plain.items()):
            return False
        run = self._runs(list(plain))
        if explained(run, known, plain, others, [{n: _flushed(v) for n, v in known.items()}]):
            self.tie = self.tie or {**found, "flushed": True}
            return False
        return not explained(run, known, plain, others, [nudged(known, seed) for seed in _SEEDS])

    def decide(self, tensors: Sequence[str]) -> None:
        """Look for the first node that decides otherwise under XLA where nothing but such nodes becomes a result of
        the program, so that XLA fuses what it fuses in the function itself.
        """
        graph = self._graph
        needed = ancestors(graph, tensors)
        names = [n for n, node in graph.nodes.items() if n in needed and node.inputs and self._decides(n)]
        deciding = [f"{n}:{i}" for n in names for i in range(len(self._loaded.outputs(n)))]
        if not deciding or self.tie is not None:
            return
        plain = self._loaded.run(deciding, self._arguments)
        self.compilations += 1
        part = unwrap(truncate(graph, [*tensors, *deciding]))
        under_xla = compiled.run_compiled(part, self._arguments)[len(tensors) :]
        for tensor, value in zip(deciding, under_xla, strict=True):
            known = np.asarray(plain[tensor])
            if known.shape == value.shape and differs(known, value).any():
                self.tie = self._told(split(tensor)[0], None, None, (None, None))
                return


def explained(
    run: Run,
    arguments: Mapping[str, Array],
    plain: Results,
    others: Results,
    moves: Sequence[Mapping[str, Array]] | None = None,
) -> bool:
    """Whether rounding can make these results of the plain ones: every element that differs moves as far when the
    floating inputs are moved in their last places, or in those of the largest one.
    """
    left: dict[str, Array] = {}
    for name, a in plain.items():
        b = others.get(name)
        if b is None or a.shape != b.shape:
            return False
        far = differs(a, b)
        if far.any():
            left[name] = far
    tried = _moved(arguments) if moves is None else moves
    for moved in tried if left else ():
        told, values = run(moved)
        if told["outcome"] != "passed":
            continue
        for name in list(left):
            value = values.get(name)
            if value is not None and value.shape == plain[name].shape:
                left[name] = left[name] & ~_as_far(plain[name], others[name], value)
                if not left[name].any():
                    del left[name]
        if not left:
            break
    return not left


def _moved(arguments: Mapping[str, Array]) -> list[dict[str, Array]]:
    """The arguments with small values as zeros, moved relative to themselves, and relative to the largest."""
    tried = [{n: _flushed(v) for n, v in arguments.items()}]
    tried += [nudged(arguments, seed) for seed in _SEEDS]
    tried += [{n: _shaken(v, seed) for n, v in arguments.items()} for seed in _SEEDS]
    return tried


def _shaken(value: Array, seed: int) -> Array:
    if value.dtype.kind not in "fc" or not value.size:
        return value
    random = np.random.default_rng(seed)
    finite = np.abs(value[np.isfinite(value)])
    scale = NUDGE * float(np.finfo(value.dtype).eps) * (float(finite.max()) if finite.size else 0.0)
    noise: Any = random.uniform(-1, 1, value.shape)
    if value.dtype.kind == "c":
        noise = noise + 1j * random.uniform(-1, 1, value.shape)
    return np.asarray(value + scale * noise, dtype=value.dtype)


def _flushed(value: Array) -> Array:
    """Without numbers below the smallest normal one: XLA takes them for zeros."""
    if value.dtype.kind not in "fc":
        return value
    tiny = np.finfo(value.dtype).tiny
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(value) < tiny, np.zeros_like(value), value)


def alike(a: Array, b: Array, arguments: Mapping[str, Array]) -> bool:
    """Whether the results of two ways are the same but for what any long sum rounds."""
    if a.shape != b.shape:
        return False
    a, b = _flushed(a), _flushed(b)
    return deviation(a, b) <= (max(floor(a, arguments), _least(a) / 100) if _rounds(a) else 0.0)


def differs(a: Array, b: Array) -> Array:
    """Where two arrays differ by more than an approximation does."""
    if a.dtype.kind not in "fcV":
        return np.asarray(a != b)
    x, y = wide(_flushed(a)), wide(_flushed(b))
    finite = np.abs(np.concatenate([x[np.isfinite(x)].ravel(), y[np.isfinite(y)].ravel()]))
    scale = float(finite.max()) if finite.size else 0.0
    with np.errstate(invalid="ignore"):
        near = (np.abs(x - y) <= _least(a) * scale) | (x == y) | (np.isnan(x) & np.isnan(y))
    return np.asarray(~near)


def _finite_apart(a: Array, b: Array) -> bool:
    """Whether an element is a number in one array only."""
    if a.dtype.kind not in "fc" or a.shape != b.shape:
        return False
    return bool((np.isfinite(a) != np.isfinite(b)).any())


def _as_far(a: Array, b: Array, moved: Array) -> Array:
    """Where `moved` is as far from `a` as `b` is, or nearly so."""
    if a.dtype.kind not in "fcV":
        return np.asarray(moved != a)
    x, y, z = wide(a), wide(b), wide(moved)
    with np.errstate(invalid="ignore"):
        enough = np.abs(z - x) >= _SHARE * np.abs(y - x)
    return np.asarray(enough | (np.isfinite(z) != np.isfinite(x)) | (_flushed(z) == y))


def _rounds(value: Array) -> bool:
    return value.dtype.kind in "fcV"


def _least(value: Array) -> float:
    return _LEAST.get(value.dtype.str[1:], _LEAST_OTHERWISE)
