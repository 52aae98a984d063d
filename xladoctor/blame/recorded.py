"""Values with the shapes that were recorded for them, where the source does not tell them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from xladoctor.blame.suspicion import chain
from xladoctor.blame.values import (
    Array,
    Class,
    Const,
    Dataset,
    Dim,
    Function,
    Instance,
    Library,
    Map,
    Origin,
    Seq,
    Value,
    array,
    number,
)

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower

Sizes = tuple[int | None, ...]
Corrected = dict[tuple[str, int, Sizes], Sizes]
"""By file, line and the recorded shape that was believed there: what the source says instead."""

Given = Mapping[tuple[str, int, str], Sizes]
"""By file, line and text: the shape of an expression that only the message tells."""


def with_shape(run: Follower, value: Value, shape: Sizes) -> Value:
    """A value with its recorded shape; sizes that the source tells alike keep their origins."""
    if isinstance(value, Const | Map | Instance | Library | Function | Class | Dataset):
        return value
    if isinstance(value, Seq) and array(value) is None:
        return value
    known = array(value)
    old = known.dims if known is not None and known.dims is not None and len(known.dims) == len(shape) else None
    if known is not None and known.dims is not None and not _agree(known.sizes, shape):
        if any(call.loops for call in run.calls):
            # The recording is of the last round alone.
            return _filled(value, known.dims, shape) if run.to_end else value
        key = (run.calls[-1].file, run.calls[-1].first, shape)
        if run.to_end and key not in run.corrected:
            return _filled(value, known.dims, shape)
        shape = _moved(shape, run.corrected.setdefault(key, known.sizes), known.sizes)
    unknown = known is None or known.dims is None
    if unknown and run.edited is not None and run.edited in {(o.file, o.line) for o, _ in chain(value.origin)}:
        return value  # it was recorded before the edit of what it is made of
    origin = value.origin or run.origin("assignment")
    sources = [d for s in value.sources if isinstance(s, Array) for d in s.dims or () if d.size is not None]
    alike = {d.size: d for d in reversed([*sources, *_asked(value, origin)])}
    made = [
        alike[size]
        if old is None and size in alike
        else old[i]
        if old is not None and (old[i].size == size or size is None)
        else Dim(size, _origin_of(old, i) or origin, old[i].batch if old is not None else not i and size is None)
        for i, size in enumerate(shape)
    ]
    if isinstance(value, Array):
        value.dims = tuple(made)
        return value
    return Array(made, origin)


def with_shape_after(run: Follower, value: Value, file: str, node: ast.AST, name: str) -> Value:
    """A value with the shape that a second run saw of its name after a statement, or at the start of a function."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    after = run.crash.seen.after
    lines = [getattr(n, "lineno", 0) for n in (node, *decorators[:1])]  # AutoGraph's copy has no decorator
    shape = next((after[file, line, name] for line in lines if (file, line, name) in after), None)
    return value if shape is None else with_shape(run, value, shape)


def _filled(value: Value, known: tuple[Dim, ...], shape: Sizes) -> Value:
    """A value that an edit gives another shape: the sizes that the source does not tell stay as they were recorded."""
    if isinstance(value, Array) and len(known) == len(shape):
        value.dims = tuple(replace(d, size=size) if d.size is None else d for d, size in zip(known, shape, strict=True))
    return value


def _asked(value: Value, origin: Origin) -> Iterator[Dim]:
    """The sizes that a call of an unknown function was given as numbers: its result may have one from there."""
    for source in value.sources:
        size = number(source)
        if size is not None and size > 2 and source.origin is not None:
            yield Dim(size, replace(origin, parents=(source.origin, *origin.parents)))


def _agree(told: Sizes, recorded: Sizes) -> bool:
    """Whether two shapes have no sizes that differ."""
    both = zip(told, recorded, strict=False)
    return len(told) == len(recorded) and all(a == b or a is None or b is None for a, b in both)


def _moved(recorded: Sizes, told: Sizes, now: Sizes) -> Sizes:
    """A recorded shape with the sizes that an edit changes, counted from the last axis."""
    if told == now or len(told) != len(now):
        return recorded
    moved = list(recorded)
    for back in range(1, min(len(now), len(moved)) + 1):
        if told[-back] != now[-back]:
            moved[-back] = now[-back]
    return tuple(moved)


def _origin_of(old: tuple[Dim, ...] | None, i: int) -> Origin | None:
    """Where an axis comes from whose size the source does not tell."""
    return old[i].origin if old is not None and old[i].size is None else None
