"""The arguments of a call of a library's function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xladoctor.blame.values import Const, Dim, Origin, Seq, Value, dim, number

Args = Sequence[Value]
Kwargs = Mapping[str, Value]


def arg(args: Args, kwargs: Kwargs, at: int, *names: str) -> Value | None:
    """An argument by its place or by one of its names."""
    for name in names:
        if name in kwargs:
            return kwargs[name]
    return args[at] if 0 <= at < len(args) else None


def is_none(value: Value | None) -> bool:
    """Whether an argument is missing, or None; a size that is not known is neither."""
    return value is None or (isinstance(value, Const) and value.value is None and value.dim is None)


def axes_of(value: Value | None) -> list[int] | None:
    """The axes that an argument names."""
    if isinstance(value, Seq):
        found = [number(item) for item in value.items]
        return None if any(n is None for n in found) else [n for n in found if n is not None]
    one = number(value)
    return None if one is None else [one]


def shape_of(value: Value | None, origin: Origin) -> tuple[tuple[Dim, ...] | None, list[int]]:
    """(the axes that a shape argument asks for, those that it asks as -1)."""
    if isinstance(value, Const) and (isinstance(value.value, int) or value.dim is not None):
        value = Seq([value])
    if not isinstance(value, Seq):
        return None, []
    free = [i for i, item in enumerate(value.items) if number(item) == -1]
    return tuple(dim(item, origin) for item in value.items), free
