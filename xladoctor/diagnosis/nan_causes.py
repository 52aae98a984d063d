"""What made a NaN, in words: the op and the values that it got, and what to change for that."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from xladoctor.model.diagnosis import Remedy

_LARGEST = {"float16": 65504.0, "float32": 3.4e38, "bfloat16": 3.4e38, "float64": 1.8e308}
_DIVISIONS = frozenset({"RealDiv", "Div", "TruncateDiv", "FloorDiv", "Xdivy", "FloorMod", "Mod"})
_INVERSES = frozenset({"Reciprocal", "Inv", "Rsqrt"})
_LOGS = frozenset({"Log", "Log1p", "Xlogy", "Xlog1py"})
_ROOTS = frozenset({"Sqrt", "Rsqrt"})
_DOMAINS = {"Acos": 1.0, "Asin": 1.0, "Atanh": 1.0, "Erfinv": 1.0}
_SOFTMAX = frozenset({"Softmax", "LogSoftmax"})
_GREW = 1e6
"""By this factor the largest value of an op has grown since its first step: training diverged."""


@dataclass(frozen=True)
class Cause:
    """What happened in a few words (`what`, to begin a sentence), its kind, and the change that prevents it."""

    kind: str
    what: str
    remedy: Remedy


def cause(found: Mapping[str, Any]) -> Cause:
    """The cause of what a rehearsal found (`probes.record.nan_hunt`)."""
    gradient = found.get("gradient_of")
    if isinstance(gradient, Mapping):
        return _of_gradient(found, str(gradient.get("op")))
    for of in (_division, _logarithm, _root, _domain, _power, _softmax, _overflow):
        made = of(found)
        if made is not None:
            return made
    return _other(found)


def _at(found: Mapping[str, Any], number: int) -> float | None:
    """The value of an input that goes with the first bad element."""
    inputs = found.get("inputs") or []
    return _number(inputs[number].get("at")) if number < len(inputs) else None


def _number(value: Any) -> float | None:
    try:
        return None if value is None else float(value)
    except (TypeError, ValueError):
        return None


def _division(found: Mapping[str, Any]) -> Cause | None:
    op = str(found.get("op"))
    if op in _DIVISIONS and _at(found, 1) == 0:
        top = _at(found, 0)
        what = f"{op} divides {'0 by 0' if top == 0 else f'{_shown(top)} by 0' if top is not None else 'by 0'}"
    elif op in _INVERSES and _at(found, 0) == 0:
        what = f"{op} takes the inverse of 0"
    else:
        return None
    how = "`tf.math.divide_no_nan(a, b)` gives 0 there; or add a small number to the divisor: `a / (b + 1e-7)`."
    return Cause("division", what, _guard("Keep the divisor away from 0", how))


def _logarithm(found: Mapping[str, Any]) -> Cause | None:
    op = str(found.get("op"))
    value = _at(found, 1 if op in ("Xlogy", "Xlog1py") else 0)
    if op not in _LOGS or value is None or value > 0:
        return None
    how = (
        "`tf.math.log(tf.maximum(x, 1e-7))`. After a softmax or a sigmoid, use a loss with `from_logits=True` "
        "instead; for a sum of exponentials, `tf.reduce_logsumexp`: neither rounds to 0 before the logarithm."
    )
    sign = "0" if value == 0 else f"a negative number ({_shown(value)})"
    return Cause("log", f"{op} takes the logarithm of {sign}", _guard("Keep what goes into the logarithm above 0", how))


def _root(found: Mapping[str, Any]) -> Cause | None:
    value = _at(found, 0)
    if found.get("op") not in _ROOTS or value is None or value >= 0:
        return None
    how = "`tf.sqrt(tf.maximum(x, 0.0))`; if a layer predicts a variance, use `softplus` of its output."
    return Cause(
        "sqrt", f"{found['op']} takes the root of a negative number ({_shown(value)})",
        _guard("Keep what goes into the root at 0 or above", how),
    )  # fmt: skip


def _domain(found: Mapping[str, Any]) -> Cause | None:
    op, value = str(found.get("op")), _at(found, 0)
    if op not in _DOMAINS or value is None or abs(value) < _DOMAINS[op]:
        return None
    how = "Rounding can carry a cosine beyond 1: `tf.clip_by_value(x, -1 + 1e-6, 1 - 1e-6)` before it."
    return Cause(
        "domain", f"{op} is not defined at {_shown(value, 9)}", _guard(f"Keep what goes into {op} in range", how)
    )


def _power(found: Mapping[str, Any]) -> Cause | None:
    base, exponent = _at(found, 0), _at(found, 1)
    if found.get("op") != "Pow" or base is None or exponent is None:
        return None
    if (base == 0 and exponent < 0) or (base < 0 and exponent != int(exponent)):
        how = "`tf.pow(tf.maximum(x, 1e-7), p)` is finite, and so is its derivative."
        what = f"Pow raises {_shown(base)} to the power {_shown(exponent)}"
        return Cause("power", what, _guard("Keep the base above 0", how))
    return None


def _softmax(found: Mapping[str, Any]) -> Cause | None:
    low = (found.get("inputs") or [{}])[0].get("at")
    if found.get("op") not in _SOFTMAX or _number(low) != -math.inf:
        return None
    how = "Mask with a large finite number (-1e9) instead of minus infinity, or leave out empty rows."
    return Cause(
        "softmax", f"{found['op']} gets a row in which everything is masked with minus infinity",
        _guard("Give rows that are masked entirely a finite score", how),
    )  # fmt: skip


def _overflow(found: Mapping[str, Any]) -> Cause | None:
    if found.get("made") != "inf" and "inf" not in str(found.get("value")):
        return None
    op, dtype = str(found.get("op")), str(found.get("dtype"))
    limit = _LARGEST.get(dtype, math.inf)
    sizes = [abs(n) for i in found.get("inputs") or [] for k in ("min", "max") if (n := _number(i.get(k))) is not None]
    largest = max(sizes, default=None)
    start, run = _number(found.get("start")), found.get("run")
    if dtype == "float16":
        got = f" of values up to {_shown(largest)}" if largest is not None else ""
        how = f'Give this layer `dtype="float32"`, or scale its input: the largest float16 is {limit:.0f}.'
        wider = Remedy("wider-type", "Compute this in float32", "slower", how)
        return Cause("overflow-float16", f"{op}{got} is larger than float16 can hold ({limit:.0f})", wider)
    grown = largest is not None and start is not None and largest > _GREW * max(start, 1e-30)
    # An op in a loop runs several times in one step: that it grows there says nothing of the training.
    if grown and isinstance(run, int) and run > 1 and not found.get("loop"):
        how = (
            "Divide the learning rate by 10 to 100, clip gradients (`clipnorm=1.0`), and scale inputs and targets to "
            "about 1."
        )
        lower = Remedy("lower-rate", "Lower the learning rate, or clip the gradients", "changes-numerics", how)
        what = (
            f"Training diverges: {op} got values up to {_shown(largest)} at its execution {run}, and gave at most "
            f"{_shown(start)} at the first"
        )
        return Cause("exploding", what, lower)
    value = _at(found, 0)
    got = f"of {_shown(value)} " if value is not None and len(found.get("inputs") or []) == 1 else ""
    how = (
        "Subtract the largest value before `exp` (`tf.nn.softmax` and `tf.reduce_logsumexp` do), or limit it: "
        "`tf.minimum(x, 80.0)`."
    )
    if op not in ("Exp", "Expm1", "Sinh", "Cosh"):
        how = "Scale the inputs, or lower the learning rate if the values grow during training."
    return Cause(
        "overflow", f"{op} {got}is larger than {dtype} can hold", _guard(f"Keep what goes into {op} small", how)
    )


def _of_gradient(found: Mapping[str, Any], forward: str) -> Cause:
    op = str(found.get("op"))
    zero = any(_at(found, n) == 0 for n in range(len(found.get("inputs") or [])))
    at = " at 0" if zero else ""
    how = (
        f"The result of {forward} is finite, but its derivative is not: keep its input away from that point before "
        f"{forward} "
        "(`tf.maximum(x, 1e-12)`). A `tf.where` afterwards does not help, because TensorFlow also computes the "
        "gradient of the other branch."
    )
    mask = Remedy("mask-before", f"Keep the input of {forward} away from the point without a derivative",
                  "changes-numerics", how)  # fmt: skip
    return Cause("gradient", f"The gradient of {forward} has no value{at} ({op} gives {found.get('value')})", mask)


def masked_forward(found: Mapping[str, Any], before: Cause) -> Cause:
    """The cause where the result of an op is not used, but its gradient is."""
    op = str(found.get("op"))
    how = (
        f"`tf.where` after {op} hides its value, but not its gradient. Choose before it: "
        f"`safe = tf.where(ok, x, 1.0); y = tf.where(ok, f(safe), 0.0)`."
    )
    return Cause(before.kind, before.what, Remedy("mask-before", f"Choose the input of {op} with tf.where, too",
                                                  "changes-numerics", how))  # fmt: skip


def _other(found: Mapping[str, Any]) -> Cause:
    op = str(found.get("op"))
    values = [n for n in (_at(found, i) for i in range(len(found.get("inputs") or []))) if n is not None]
    got = f" of {' and '.join(_shown(v) for v in values[:2])}" if values else ""
    how = f"Check the inputs of {op} in this line."
    return Cause("other", f"{op}{got} gives {found.get('value')}", _guard(f"Keep what goes into {op} in range", how))


def _guard(title: str, how: str) -> Remedy:
    return Remedy("guard-values", title, "changes-numerics", how)


def _shown(value: float | None, digits: int = 4) -> str:
    return "a number" if value is None else f"{value:.{digits}g}"
