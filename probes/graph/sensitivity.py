"""What rounding can make of the outputs of a step: the tolerance of a comparison.

Two ways to compute the same thing round differently, and what a program makes of such differences is its own affair: a
sum of n terms gathers them, a division by something small or the sign in an optimizer enlarges them. So the step is
run again on inputs and variables that are changed at random by up to NUDGE units in the last place (one alone is
often lost in the rounding of the first sum), and what that does to each output is measured. The tolerance is

    MARGIN * the largest deviation seen  +  GATHER * eps * sqrt(n)

with eps of the narrowest type among an output and the floating inputs, and n the number of elements of the largest
input, but never more than NARROW * eps in a type of 16 bits. Rounding errors within a sum of n terms grow like
sqrt(n) * eps relative to the terms (Higham, Accuracy and Stability of Numerical Algorithms, section 2.8), whatever the
inputs' own last place does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .measure import Array, Results, deviation

RUNS = 3
NUDGE = 16.0
MARGIN = 4.0
GATHER = 2.0
NARROW = 32.0
"""In float16 and bfloat16 a long sum may lose all its digits: that is no rounding that two ways may differ by."""
_NARROW_EPS = 1e-4
ACCUMULATES = frozenset({"Cumsum", "CumulativeLogsumexp"})
"""Ops of which each element is a sum of all that went before."""
_MUCH = 0.05
Run = Callable[[Mapping[str, Array]], tuple[dict[str, Any], Results]]
"""Arguments by name -> (outcome, results by name)."""


def tolerances(run: Run, arguments: Mapping[str, Array], results: Results, runs: int = RUNS) -> dict[str, float]:
    """{output: relative tolerance} of a step with these results on these arguments."""
    seen = dict.fromkeys(results, 0.0)
    for number in range(runs):
        told, values = run(nudged(arguments, number))
        if told["outcome"] != "passed":
            continue
        for name, value in values.items():
            if name in seen and value.shape == results[name].shape:
                found = deviation(value, results[name])
                seen[name] = max(seen[name], found if np.isfinite(found) else 0.0)
    return {name: MARGIN * seen[name] + floor(value, arguments) for name, value in results.items()}


def floor(value: Array, arguments: Mapping[str, Array]) -> float:
    """What rounding explains however well conditioned a step is; 0 for types that do not round."""
    if not _floating(value):
        return 0.0
    inputs = [a for a in arguments.values() if _floating(a)]
    eps = max([_eps(value), *(_eps(a) for a in inputs)])
    gathered = float(GATHER * eps * np.sqrt(max([a.size for a in inputs], default=1) or 1))
    return min(gathered, NARROW * eps) if eps > _NARROW_EPS else gathered


def narrow(value: Array) -> bool:
    """Whether it is of a type of 16 bits, or fewer."""
    return _floating(value) and _eps(value) > _NARROW_EPS


def stagnates(plain: Results, others: Mapping[str, Array]) -> bool:
    """Whether a running sum in 16 bits is so far from the other that it no longer grows: what it adds is below its last
    place. Inputs that are moved a little make it grow again, and would explain anything.
    """
    return any(narrow(a) and a.shape == others[t].shape and deviation(a, others[t]) > _MUCH for t, a in plain.items())


def nudged(arguments: Mapping[str, Array], seed: int) -> dict[str, Array]:
    """The arguments, each floating value changed at random by up to NUDGE units in its last place; zeros stay."""
    random = np.random.default_rng(seed)
    return {name: _nudged(value, random) if _floating(value) else value for name, value in arguments.items()}


def _nudged(value: Array, random: np.random.Generator) -> Array:
    eps = NUDGE * _eps(value)
    # The parts of a complex number are rounded each by itself.
    if value.dtype.kind == "c":
        parts = [
            p.astype(np.float64) * (1 + eps * random.uniform(-1, 1, value.shape)) for p in (value.real, value.imag)
        ]
        return np.asarray(parts[0] + 1j * parts[1], dtype=value.dtype)
    return np.asarray(value.astype(np.float64) * (1 + eps * random.uniform(-1, 1, value.shape)), dtype=value.dtype)


def _floating(value: Array) -> bool:
    return value.dtype.kind in "fc" or (value.dtype.kind == "V" and value.dtype.itemsize <= 2)


def _eps(value: Array) -> float:
    if value.dtype.kind in "fc":
        return float(np.finfo(value.dtype).eps)
    # bfloat16 and the eight-bit floats are no types of NumPy's own: their names say what they are.
    return {"bfloat16": 2.0**-7, "float8_e4m3fn": 2.0**-3, "float8_e5m2": 2.0**-2}.get(value.dtype.name, 2.0**-7)
