"""What the batches of a Keras call under way are made of."""

from __future__ import annotations

import inspect
from typing import Any

from .datasets import slices
from .first_calls import Batch
from .values import leaves


def batch_under_way(calls: list[dict[str, Any]]) -> Batch | None:
    """The arrays of the innermost Keras call under way, or those that its dataset is cut from, or the dataset; else why
    there are none. None where no call is under way that was given data.
    """
    call = calls[-1] if calls else {}
    data = list(leaves(call.get("data")))
    if not data:
        return None
    if len(data) == 1 and hasattr(data[0], "element_spec"):
        cut = slices(data[0])
        return Batch(*cut) if cut is not None and cut[1] else Batch([], 0, dataset=data[0])
    if all(hasattr(v, "shape") and hasattr(v, "__getitem__") and len(v.shape) for v in data):
        return Batch(data, call.get("batch_size") or 32)
    return Batch([], 0, why=f"its batch comes from {_named(data[0])}, which nobody may ask for it a second time")


def _named(source: Any) -> str:
    if inspect.isgenerator(source):
        return "a Python generator"
    return f"an object of the class {type(source).__name__}"
