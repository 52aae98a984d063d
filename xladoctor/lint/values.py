"""What is known of a value before anything runs: where its content comes from, not what it is.

The order of `Content` is that of trouble: what is computed from several values is as bad as the worst of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any


class Content(IntEnum):
    """Where the numbers in a value come from, as XLA sees it when it compiles."""

    STATIC = 0
    """Python values and constants: known while tracing."""
    SHAPE = 1
    """`tf.shape` of a tensor: not known while tracing, but whenever XLA compiles."""
    UNKNOWN = 2
    """Cannot be told from the source."""
    ARGUMENT = 3
    """From the values of a tensor argument or a variable: known to the compiler, for one call."""
    SIZE = 4
    """The size of a tensor whose size depends on data."""
    RUNTIME = 5
    """Random numbers, loop variables, results of `tf.where`: known to nobody when XLA compiles."""


Size = int | str
"""A number of rows: known, or a product of symbols such as `rows(x)*4`."""


@dataclass(frozen=True)
class Value:
    """One abstract value.

    `tensor`: is it one; None if that cannot be told. `origin` says in words what `content` comes from. `grown` says
    what
    gave it a size that depends on data (for XLA a bounded dynamic dimension). `rows` is its leading dimension, `size`
    the
    number that it is, both symbolic. `width` is its float type; `rounded` says where a constant was cut to float32.
    `target` is the function, class instance or partial that it can be called as.
    """

    content: Content = Content.UNKNOWN
    tensor: bool | None = None
    origin: str = ""
    grown: str | None = None
    rows: Size | None = None
    size: Size | None = None
    width: str | None = None
    rounded: str | None = None
    boolean: bool = False
    items: tuple[Value, ...] | None = None
    target: Any = None

    @property
    def all_items(self) -> Value:
        """For a list or tuple: all its items as one value; else itself."""
        return join(*self.items, tensor=False) if self.items else self


STATIC = Value(Content.STATIC, tensor=False)
UNKNOWN = Value()


def join(*values: Value, tensor: bool | None = None) -> Value:
    """What is computed from all of `values`: content of the worst, dynamic if one is."""
    if not values:
        return STATIC
    flat = [value.all_items for value in values]
    worst = max(flat, key=lambda v: v.content)
    grown = next((v.grown for v in flat if v.grown), None)
    if tensor is None:
        tensor = True if any(v.tensor for v in flat) else False if all(v.tensor is False for v in flat) else None
    return Value(worst.content, tensor, worst.origin, grown)


def merge(one: Value, other: Value) -> Value:
    """What holds whichever of two ways the program took."""
    if one == other:
        return one
    both = join(one, other)
    tensor = one.tensor if one.tensor == other.tensor else None
    items = None
    if one.items is not None and other.items is not None and len(one.items) == len(other.items):
        items = tuple(merge(a, b) for a, b in zip(one.items, other.items, strict=True))
    return replace(
        both,
        tensor=tensor,
        rows=one.rows if one.rows == other.rows else None,
        size=one.size if one.size == other.size else None,
        width=one.width if one.width == other.width else None,
        rounded=one.rounded if one.rounded == other.rounded else None,
        boolean=one.boolean and other.boolean,
        items=items,
        target=one.target or other.target,
    )


def times(one: Size | None, other: Size | None) -> Size | None:
    """The product of two sizes."""
    if one is None or other is None:
        return None
    number, symbols = 1, []
    for size in (one, other):
        for part in [size] if isinstance(size, int) else size.split("*"):
            if isinstance(part, int) or part.isdigit():
                number *= int(part)
            else:
                symbols.append(part)
    if not symbols:
        return number
    return "*".join([*sorted(symbols), *([str(number)] if number != 1 else [])])


def differ(one: Size | None, other: Size | None) -> bool:
    """Whether two sizes are told apart: rows of a tensor and a fixed number, or a multiple of the same rows.

    Rows of two different tensors may well be equal, and are not told apart.
    """
    if one is None or other is None or one == other:
        return False
    if isinstance(one, int) or isinstance(other, int):
        return True
    left, right = one.split("*"), other.split("*")
    extra = [*_without(left, right), *_without(right, left)]
    shared = len(left) + len(right) - len(extra)
    return shared > 0 and all(part.isdigit() for part in extra)


def _without(parts: list[str], others: list[str]) -> list[str]:
    left = list(others)
    out = []
    for part in parts:
        if part in left:
            left.remove(part)
        else:
            out.append(part)
    return out
