"""The results of a step in a file, so that another process, under other settings, can be compared with it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .errors import BadCapsule
from .measure import Array, Results


def keep(file: Path, results: Results) -> None:
    """Write results for another process to compare with."""
    file.parent.mkdir(parents=True, exist_ok=True)
    names = list(results)
    arrays = {f"v{i}": _plain_type(results[n]) for i, n in enumerate(names)}
    with file.open("wb") as stream:
        np.savez(stream, names=np.array(names), **arrays)  # type: ignore[arg-type]


def kept(file: Path) -> Results:
    """Results that were written by `keep`. Nothing is unpickled."""
    try:
        with np.load(file, allow_pickle=False) as archive:
            return {str(n): archive[f"v{i}"] for i, n in enumerate(archive["names"])}
    except (OSError, ValueError, KeyError) as error:
        raise BadCapsule(f"{file}: {error}") from error


def _plain_type(value: Array) -> Array:
    """Types that NumPy knows only by name (bfloat16) as float32, which holds all of their values."""
    return value.astype(np.float32) if value.dtype.kind == "V" else value
