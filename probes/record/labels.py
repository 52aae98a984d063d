"""Which class each row has."""

from __future__ import annotations

from typing import Any

MAX_LABELS = 2_000_000
MAX_CLASSES = 10_000


def classes_of(labels: Any, most: int = MAX_CLASSES) -> Any:
    """The class of each row as a whole number below `most`: of numbers (N,) or (N, 1), or of rows with a single one
    (N, C). None of anything else.
    """
    if not (type(labels).__module__ or "").startswith("numpy") or labels.dtype.kind not in "iubf":
        return None
    if not 0 < labels.size <= MAX_LABELS or labels.ndim not in (1, 2):
        return None
    if labels.ndim == 2 and labels.shape[1] > 1:
        hot = labels != 0
        return hot.argmax(1) if (hot.sum(1) == 1).all() else None
    flat = labels.reshape(-1)
    if not 0 <= flat.min() <= flat.max() < most:
        return None
    whole = flat.astype("int64")
    return whole if (whole == flat).all() else None
