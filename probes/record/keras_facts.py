"""What is noted of the data of a call of Keras."""

from __future__ import annotations

from typing import Any

from .. import compat
from .values import leaves


def rows_of(value: Any) -> int | None:
    """The size of the first axis of the first array; None where there is none."""
    for leaf in leaves(value):
        shape = compat.dims(getattr(leaf, "shape", None)) if hasattr(leaf, "shape") else None
        if shape:
            return shape[0]
    return None


def validation_rows(given: dict[str, Any], rows: int | None) -> int | None:
    """How many rows a `fit` evaluates after each epoch, where that can be told."""
    data = given.get("validation_data")
    if data is not None:
        return rows_of(data[0] if isinstance(data, (tuple, list)) else data)
    split = given.get("validation_split")
    return rows - int(rows * (1.0 - split)) if split and rows is not None else None


def loss_name(model: Any) -> str:
    """The name of the loss that a model was compiled with, in small letters and without signs."""
    loss = getattr(model, "loss", None)
    name = loss if isinstance(loss, str) else getattr(loss, "__name__", None) or type(loss).__name__
    return str(name).lower().replace("_", "")


def described(value: Any) -> dict[str, Any]:
    """The type of what was given, and its shape and dtype if it has any."""
    info = compat.tensor_info(value)
    if info is None:
        return {"type": type(value).__name__}
    return {"type": type(value).__name__, "shape": info.shape, "dtype": info.dtype}


def accelerators() -> int | None:
    """How many there are, or None where TensorFlow has not looked yet: to ask would make it read its flags."""
    devices = compat.known_devices()
    return None if devices is None else sum(1 for d in devices if d != "CPU")
