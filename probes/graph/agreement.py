"""Does a function that XLA compiled give what its graph gives plainly? On the values of its recorded first call.

Outputs first: where they are the same but for rounding, nothing is left to ask. Else op by op, each on the values that
it had under XLA (`diverge`): only an op that gives something else on identical inputs is a divergence. What rounding
can move (an argmax of values that are nearly equal, a cast of a value near a whole number, a NaN from a root of almost
nothing) is told from what it cannot by moving the inputs of that op: an element that then moves as far is explained.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..protocol import codec
from ..protocol.comparisons import Agreement, Draw, PartingNode
from .diverge import Search
from .errors import GraphRoomError, first_words
from .ir import split
from .load import later_values
from .measure import Array, Results, deviation, wide
from .parity import PLAIN, XLA, Ways
from .portions import RESULT, Portion, portions
from .randomness import ops_within
from .sensitivity import ACCUMULATES, NUDGE, Run, floor, narrow, nudged, stagnates

AGREES, DIVERGES, NOT_CHECKED = "agrees", "diverges", "not-checked"

_AMBIGUOUS = frozenset({"Qr", "Svd", "SelfAdjointEigV2", "Eig"})
"""Right with either sign of a vector: what differs after them is their doing."""
_STEPS = frozenset(
    {"Floor", "Ceil", "Round", "Rint", "Sign", "FloorDiv", "FloorMod", "Mod", "TruncateDiv", "TruncateMod"}
)
_SMOOTH = frozenset({1, 2, 8, 14, 18, 19})
_WHOLE = frozenset({3, 4, 5, 6, 9, 10, 17, 22, 23})
"""Element types by number: real and complex ones; whole numbers and truth values."""
_SEEN = 1e-2
"""A difference of this part of the largest element is reported even where rounding explains it."""
_SEEDS = range(101, 105)
_SHARE = 0.25
"""An element that moves by this part of its difference when the inputs are moved is explained."""
_LEAST: Mapping[str, float] = {"f8": 1e-9, "c16": 1e-9, "f4": 1e-4, "c8": 1e-4, "f2": 2e-2}
_LEAST_OTHERWISE = 0.125
"""Relative differences below are approximations of a function, or the eight bits of bfloat16."""
_SHOWN = 4
_VARIANT = 21
_ITS_VALUES = ("InvalidArgumentError", "OutOfRangeError")
"""What ops raise because of the values that they get; other errors tell of this machine."""
_CANNOT = re.compile(r"support|implement|kernel|\b[CG]PU\b|out of memory|allocat", re.IGNORECASE)
"""In the words of an op that cannot run plainly on this machine, whatever its values are."""


def agreement(folder: Path, *, foreign: bool = False, whole: bool = False) -> Agreement:
    """Whether the ways agree; where they do not, `node` is the op that gives something else on the same values. `held`
    are the ops whose random numbers were the same in both ways, `draws` what they are, and `function` is the library
    function, where it is one that the capsule's own calls. With `whole` no op is looked for: the compiler may end the
    process when it is to give the values of all.

    Of a function in which XLA compiled several calls, the first divergence counts; it agrees where all do.
    """
    try:
        ways = Ways(folder, foreign=foreign)
    except GraphRoomError as error:
        return _unchecked(str(error))
    try:
        found = [_unchecked(part) if isinstance(part, str) else _of_part(part, whole) for part in portions(ways)]
    finally:
        ways.close()
    return next((f for r in (DIVERGES, NOT_CHECKED) for f in found if f.result == r), found[0])


def later(folder: Path, seconds: float, *, foreign: bool = False) -> Agreement:
    """The same of the later calls of a capsule, one after the other until one diverges or the time is over: `calls` is
    how many were compared, `call` the number of the one that diverges.
    """
    until = time.monotonic() + seconds
    calls = 0
    ways = Ways(folder, foreign=foreign)
    try:
        parts = [part for part in portions(ways) if not isinstance(part, str)]
        for number, values in later_values(folder).items():
            for part in parts:
                if time.monotonic() > until:
                    return Agreement(AGREES if calls else NOT_CHECKED, calls=calls, why="the time was over")
                told = _of_part(part, False, values)
                if told.result == DIVERGES:
                    return replace(told, calls=calls + 1, call=number)
            calls += bool(parts)
    finally:
        ways.close()
    return Agreement(AGREES if calls else NOT_CHECKED, calls=calls)


def _of_part(ways: Ways, whole: bool, values: Mapping[str, Array] | None = None) -> Agreement:
    """What comes of a part, on the values of another call if they are given."""
    try:
        told = _agreement(ways if values is None else ways.on(values), whole)
    except GraphRoomError as error:
        return _unchecked(str(error))
    if isinstance(ways, Portion):
        if RESULT in ways.program.values:
            told = replace(_as_in_the_run(ways, told), clustered=True)
        told = replace(told, function=ways.name or "")
        if ways.held:
            told = replace(told, held=tuple(ways.held), draws=codec.from_json(tuple[Draw, ...], list(ways.draws)))
    return told


def _as_in_the_run(ways: Portion, told: Agreement) -> Agreement:
    """A divergence counts only where the run had it: what XLA compiles of a function with auto-clustering is its own
    affair, and numbers that were drawn there are others.
    """
    if told.result != DIVERGES:
        return told
    if told.kind == "raises":
        return _unchecked("it does not run plainly here")
    kept = {f"output {n}": ways.program.values.get(f"output:{i}") for n, i in enumerate(ways.numbers)}
    plain = ways.of(PLAIN)[1]
    seen, name = kept.get(told.output), told.output
    if seen is None or name not in plain or ways.draws:
        return _unchecked("what the call gave in the run was not kept")
    if _alike(plain[name], seen.astype(plain[name].dtype, copy=False), ways.arguments):
        return Agreement(AGREES, outputs=len(plain))
    return told


def _agreement(ways: Ways, whole: bool) -> Agreement:
    filled = ways.step.filled
    if filled:
        return _unchecked(ways.no_batch or f"the value of {filled[0]} was not kept")
    compiled, under_xla = ways.of(XLA)
    if compiled["outcome"] != "passed":
        return _unchecked(f"it does not compile here: {_message(compiled)}")
    told, plain = ways.of(PLAIN)
    if told["outcome"] != "passed":
        return _raises(ways, told)
    apart = [n for n in plain if n in under_xla and not _alike(plain[n], under_xla[n], ways.arguments)]
    if not apart:
        return Agreement(AGREES, outputs=len(plain))
    return _parted(ways, apart, plain, under_xla, whole)


def _raises(ways: Ways, told: Mapping[str, Any]) -> Agreement:
    node = ways.first_node([])["node"]
    message = str((node or {}).get("message") or _message(told))
    if _CANNOT.search(first_words(message)) or (told["error"] or {}).get("kind") not in _ITS_VALUES:
        return _unchecked(f"it does not run plainly here: {first_words(message)[:200]}")
    return Agreement(
        DIVERGES, kind="raises", message=message, error=(told["error"] or {}).get("kind"), node=_brief(node)
    )


def _parted(ways: Ways, apart: Sequence[str], plain: Results, under_xla: Results, whole: bool) -> Agreement:
    search = Strict(ways.step, ways.frames)
    node, error = None, None
    try:
        node = None if whole else search.first([ways.tensor(n) for n in apart])
    except Exception as failed:
        if not (isinstance(failed, GraphRoomError) or type(failed).__module__.startswith("tensorflow")):
            raise
        error = str(failed)
    if node is None and (whole or error is not None or search.incomplete):
        # Not every op could be asked: then the function is asked as a whole.
        outputs = [n for n in apart if not explained(ways.plain, ways.arguments, {n: plain[n]}, {n: under_xla[n]})]
        if not outputs:
            return _by_rounding(search.tie, apart, plain, under_xla)
        apart = outputs
    elif node is None:
        return _by_rounding(search.tie, apart, plain, under_xla)
    unsteady = _unsteady(ways, apart, plain, under_xla)
    if unsteady is not None:
        return _unchecked(unsteady)
    if node is None and search.unchecked:
        node = {**search.told_of(search.unchecked[0]), "exact": False}
    name = next((n for n in apart if plain[n].shape != under_xla[n].shape), apart[0])
    a, b = plain[name], under_xla[name]
    one, other = _shown(a, b)
    return Agreement(
        DIVERGES,
        kind="values" if a.shape == b.shape else "shape",
        output=name,
        shapes=(a.shape, b.shape),
        deviation=deviation(a, b) if a.shape == b.shape else None,
        plain=one,
        xla=other,
        message=(node or {}).get("message"),
        node=_brief(node),
    )


def _by_rounding(tie: Mapping[str, Any] | None, apart: Sequence[str], plain: Results, under_xla: Results) -> Agreement:
    """The answer about outputs that only rounding sets apart, with the node that decided by the last places if one did
    and much came of it.
    """
    told = Agreement(AGREES, outputs=len(plain), rounding=True)
    far = {n: deviation(plain[n], under_xla[n]) for n in apart if plain[n].shape == under_xla[n].shape}
    name = max(far, key=far.__getitem__, default=None)
    if tie is None or name is None or not far[name] > _SEEN:
        return told
    one, other = _shown(plain[name], under_xla[name])
    return replace(told, tie=_brief(tie), output=name, deviation=far[name], plain=one, xla=other)


def _unsteady(ways: Ways, apart: Sequence[str], plain: Results, under_xla: Results) -> str | None:
    """Why a difference is none between the ways: one of them gives something else when it is run once more."""
    for how, first, run in (("plainly", plain, ways.plain), ("under XLA", under_xla, ways.xla)):
        told, again = run(ways.arguments)
        if told["outcome"] != "passed":
            continue
        same = (n for n in apart if n in again)
        if any(first[n].shape != again[n].shape or _differs(first[n], again[n]).any() for n in same):
            return f"it is not deterministic: run twice {how} on the same values it gives two results"
    return None


class Strict(Search):
    """`Search` that takes no difference for one which rounding can make."""

    @property
    def incomplete(self) -> bool:
        """Whether there are ops that differ and could not be asked."""
        return bool(self.unchecked) or self.full

    tie: dict[str, Any] | None = None
    """The first node that decides (a comparison, a cast to whole numbers, a step) and decided otherwise under XLA."""

    def _part(self, name: str, results: Mapping[str, tuple[Array, Array]]) -> None:
        if self.tie is None and self._decides(name) and any(_differs(a, b).any() for a, b in results.values()
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
            lists = [split(t)[0] for t in graph.nodes[name].inputs if graph.dtype(t) == _VARIANT]
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

    def _alone(self, name: str, outputs: Sequence[str], values: Mapping[str, Array]) -> dict[str, Any] | None:
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
        return None if explained(run, known, plain, {t: values[t] for t in outputs}) else found


def explained(run: Run, arguments: Mapping[str, Array], plain: Results, others: Results) -> bool:
    """Whether rounding can make these results of the plain ones: every element that differs moves as far when the
    floating inputs are moved in their last places, or in those of the largest one.
    """
    left: dict[str, Array] = {}
    for name, a in plain.items():
        b = others.get(name)
        if b is None or a.shape != b.shape:
            return False
        far = _differs(a, b)
        if far.any():
            left[name] = far
    for moved in _moved(arguments) if left else ():
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


def _alike(a: Array, b: Array, arguments: Mapping[str, Array]) -> bool:
    if a.shape != b.shape:
        return False
    a, b = _flushed(a), _flushed(b)
    return deviation(a, b) <= (max(floor(a, arguments), _least(a) / 100) if _rounds(a) else 0.0)


def _differs(a: Array, b: Array) -> Array:
    """Where two arrays differ by more than an approximation does."""
    if a.dtype.kind not in "fcV":
        return np.asarray(a != b)
    x, y = wide(_flushed(a)), wide(_flushed(b))
    finite = np.abs(np.concatenate([x[np.isfinite(x)].ravel(), y[np.isfinite(y)].ravel()]))
    scale = float(finite.max()) if finite.size else 0.0
    with np.errstate(invalid="ignore"):
        near = (np.abs(x - y) <= _least(a) * scale) | (x == y) | (np.isnan(x) & np.isnan(y))
    return np.asarray(~near)


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


def _shown(a: Array, b: Array) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The first elements that differ, on both ways; the first ones where the shapes do."""
    at: Any = slice(0, _SHOWN)
    if a.shape == b.shape:
        at = np.flatnonzero(_differs(a, b).ravel())[:_SHOWN]
        at = at if len(at) else slice(0, _SHOWN)
    return _listed(a.ravel()[at]), _listed(b.ravel()[at])


def _listed(values: Array) -> tuple[str, ...]:
    return tuple(f"{v:.6g}" if values.dtype.kind == "f" else str(v) for v in values)


def _brief(node: Mapping[str, Any] | None) -> PartingNode | None:
    """A node without what its outputs and `message` are, which the answer has."""
    if node is None:
        return None
    return replace(codec.read(PartingNode, codec.to_json(node)), message=None, tolerance=None)


def _message(told: Mapping[str, Any]) -> str:
    error = told.get("error") or {}
    return first_words(f"{error.get('kind')}: {error.get('message')}")[:300]


def _unchecked(why: str) -> Agreement:
    return Agreement(NOT_CHECKED, why=why)
