"""Shapes in words: as Python and Keras print them, and as signatures of places write them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def count(number: int, what: str) -> str:
    """`1 call`, `2 calls`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def python_shape(sizes: Any) -> str:
    """A shape as Python and Keras print it: `(None, 24, 64)`, `(32,)`; `?` if even the rank is unknown. A single size,
    or a text, is returned as it is.
    """
    if sizes is None:
        return "?"
    if not isinstance(sizes, list | tuple):
        return str(sizes)
    inside = ", ".join(map(str, sizes))
    return f"({inside},)" if len(sizes) == 1 else f"({inside})"


def shape_text(shape: Any) -> str:
    """`(32 ? 4)` for a list of sizes with None for an unknown one; `?` if nothing is known."""
    if shape is None:
        return "?"
    if isinstance(shape, list | tuple):
        return f"({' '.join(shape_text(size) for size in shape)})"
    return str(shape)


def sizes_text(dims: Sequence[Any]) -> str:
    """The sizes that a message names; a single shape is shown as it is."""
    return shape_text(dims[0] if len(dims) == 1 and isinstance(dims[0], list | tuple) else list(dims))
