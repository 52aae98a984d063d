"""Labels that the last layer of a model cannot reach: its activation ends where many of them do not."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any

from .keras_facts import loss_name

MAX_NUMBERS = 2_000_000
_LEAST = 8
_SHARE = 0.05
"""Of the labels: fewer may be noise."""
_OF_SPREAD = 0.1
"""Of the sum of squares of the labels about their mean, what cannot be reached: noise about 0 has less."""
_ENDS: Mapping[str, tuple[float, float]] = {
    "relu": (0.0, math.inf), "relu6": (0.0, 6.0), "softplus": (0.0, math.inf), "exponential": (0.0, math.inf),
    "sigmoid": (0.0, 1.0), "hard_sigmoid": (0.0, 1.0), "softmax": (0.0, 1.0), "tanh": (-1.0, 1.0),
    "softsign": (-1.0, 1.0),
}  # fmt: skip
_DISTANCES = frozenset(
    {"mse", "meansquarederror", "mae", "meanabsoluteerror", "huber", "huberloss", "logcosh", "mape",
     "meanabsolutepercentageerror"}
)  # fmt: skip


def out_of_reach(model: Any, labels: Any) -> dict[str, Any] | None:
    """The layer, its activation, and [labels that it cannot give, labels]; None where all can be reached, or little is
    missing, and of a model with several outputs or a loss that is no distance.
    """
    layer = _last(model)
    activation = _activation(layer)
    ends = _ENDS.get(activation) if _is_of_keras(getattr(model, "loss", None)) else None
    numpy = sys.modules["numpy"]
    if ends is None or not isinstance(labels, numpy.ndarray) or labels.dtype.kind not in "if":
        return None
    if not _LEAST <= labels.size <= MAX_NUMBERS or loss_name(model) not in _DISTANCES:
        return None
    wide = labels.astype("float64")
    beyond = numpy.maximum(ends[0] - wide, wide - ends[1])
    outside = beyond > 0
    count, spread = int(outside.sum()), float(((wide - wide.mean()) ** 2).sum())
    if count < max(_LEAST, _SHARE * labels.size) or not math.isfinite(spread):
        return None
    missing = float((beyond[outside] ** 2).sum())
    if missing <= _OF_SPREAD * spread:
        return None
    known = {"layer": str(layer.name), "cls": type(layer).__name__, "units": getattr(layer, "units", None)}
    return {**known, "activation": activation, "rows": [count, int(labels.size)]}


def _last(model: Any) -> Any:
    """The layer that gives the only output."""
    outputs = getattr(model, "outputs", None)
    if not isinstance(outputs, (list, tuple)) or len(outputs) != 1:
        return None
    history = getattr(outputs[0], "_keras_history", None)
    layer = getattr(history, "operation", None) or getattr(history, "layer", None)
    inner = getattr(layer, "layers", None)
    return _last(layer) if inner else layer


def _activation(layer: Any) -> str:
    cls = type(layer).__name__
    if cls == "ReLU":
        plain = not getattr(layer, "negative_slope", 0) and not getattr(layer, "threshold", 0)
        return "relu" if plain and getattr(layer, "max_value", None) is None else ""
    return str(getattr(getattr(layer, "activation", None), "__name__", "")) if hasattr(layer, "activation") else ""


def _is_of_keras(loss: Any) -> bool:
    """Whether a loss is one of Keras, by its name, its class or its function: another one may stretch the labels."""
    home = getattr(loss if hasattr(loss, "__name__") else type(loss), "__module__", "") or ""
    return isinstance(loss, str) or home.startswith(("keras.", "tf_keras.", "tensorflow."))
