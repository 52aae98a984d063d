"""Shapes of element-wise results, products and joins, and the constraints on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from xladoctor.blame.values import Array, Dim, Seq, Value, array, is_at, unknown

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower


def conflict(left: Dim, right: Dim) -> bool:
    """Whether two sizes are known and differ."""
    return left.size is not None and right.size is not None and left.size != right.size


def broadcast(run: Follower, values: Sequence[Value], what: str) -> Value:
    """The result of an element-wise operation; a clash where the shapes do not broadcast."""
    arrays = [array(v) for v in values]
    known = [a for a in arrays if a is not None]
    origin = run.origin("operation", what, *values)
    if not known or any(a.dims is None for a in known) or len(known) < len(values):
        ranked = [a for a in known if a.dims]  # a number says nothing of what it meets
        best = max(ranked, key=lambda a: len(a.dims or ())) if ranked and len(known) == len(values) else None
        return Array(best.dims, origin, best.kind) if best is not None else Array(None, origin)
    rank = max(len(a.dims or ()) for a in known)
    out: list[Dim] = []
    if any(a.kind == "variable" and len(a.sizes) < rank for a in known) and any(a.sizes[-1:] == (1,) for a in known):
        run.refuse()  # weights that are laid across an axis that was made for them
    for back in range(rank, 0, -1):
        sides = [(a, (a.dims or ())[-back]) for a in known if len(a.dims or ()) >= back]
        wide = [(a, d) for a, d in sides if d.size != 1]
        first = wide[0] if wide else sides[0]
        for other in wide[1:]:
            if conflict(first[1], other[1]) or _batch_meets_axis(first, other, back):
                run.clash("broadcast", what, [first[0], other[0]], [-back, -back], [first[1], other[1]])
            elif {first[1].batch, other[1].batch} == {True, False} and None in (first[1].size, other[1].size):
                run.refuse()  # a batch that was turned meets a size
        out.append(next((d for _, d in wide if d.size is not None), first[1]))
    kinds = [a.kind for a in known]
    only = [a for a in known if a.dims]
    if len(only) == 1 and only[0].origin is not None:
        origin = only[0].origin  # a number beside it changes no size
    made = Array(out, origin, next((k for k in ("symbolic", "tensor", "frame") if k in kinds), known[0].kind))
    made.inputs = tuple(only or known)
    return made


def _batch_meets_axis(one: tuple[Array, Dim], other: tuple[Array, Dim], back: int) -> bool:
    """Whether the rows of a batch meet an axis of another value that is not its rows: they fit by chance at most."""
    places = [len(found.dims or ()) - back for found, _ in (one, other)]
    rows = [d.batch and d.size is None and not at for (_, d), at in zip((one, other), places, strict=True)]
    pairs = zip((one, other), places, strict=True)
    fixed = [bool(d.size) and (at > 0 or found.kind == "variable") for (found, d), at in pairs]
    return (rows[0] and fixed[1]) or (rows[1] and fixed[0])


def product(run: Follower, one: Value, other: Value, what: str, flip: tuple[bool, bool] = (False, False)) -> Value:
    """The result of a matrix product; a clash where the inner sizes differ."""
    a, b = array(one), array(other)
    origin = run.origin("operation", what, one, other)
    if a is not None and a.dims and len(a.dims) > 1 and (b is None or b.dims is None) and not flip[0]:
        return Array([*a.dims[:-1], Dim(None, origin)], origin, "tensor")
    if (a is None or a.dims is None) and b is not None and b.dims is not None and len(b.dims) == 2 and not flip[1]:
        return Array([Dim(None, origin), b.dims[-1]], origin, "tensor")
    if a is None or b is None or a.dims is None or b.dims is None:
        return Array(None, origin, "tensor")
    left, right = list(a.dims), list(b.dims)
    if flip[0] and len(left) > 1:
        left[-2:] = left[:-3:-1]
    if flip[1] and len(right) > 1:
        right[-2:] = right[:-3:-1]
    if not left or not right:
        return Array(a.dims or b.dims, origin, a.kind)
    for found in (a, b):
        if len(found.dims or ()) == 1 and found.kind in ("tensor", "symbolic", "variable", "placeholder"):
            sides = [Dim(1, found.origin), Dim(2, origin)]  # NumPy multiplies vectors, TensorFlow does not
            run.clash("rank", what, [found, b if found is a else a], [None, None], sides)
    inner = right[-2] if len(right) > 1 else right[-1]
    if conflict(left[-1], inner):
        axes = [-2 if flip[0] else -1, -1 if flip[1] or len(right) == 1 else -2]
        run.clash("inner", what, [a, b], axes, [left[-1], inner])
    for back in range(3, min(len(left), len(right)) + 1):
        if conflict(left[-back], right[-back]) and 1 not in (left[-back].size, right[-back].size):
            run.clash("broadcast", what, [a, b], [-back, -back], [left[-back], right[-back]])
            break
    made = Array([*left[:-1], *([right[-1]] if len(right) > 1 else [])], origin, "tensor")
    made.inputs = (a, b)
    return made


def joined_arrays(
    run: Follower,
    values: Sequence[Value],
    axis: int,
    what: str,
    new: bool = False,
    asked: Value | None = None,
    of: Value | None = None,
) -> Value:
    """Arrays joined along an axis, or stacked along a new one; a clash where the others differ.

    `asked` is the argument that names the axis, `of` the list whose first items `values` are.
    """
    found = [array(v) for v in values]
    known = [a for a in found if a is not None and a.dims is not None]
    origin = run.origin("operation", what, *values)
    if not known or len(known) < len(found):
        return Array(None, origin, "tensor")
    count = of.count if isinstance(of, Seq) else len(known)
    ranks = {len(a.dims or ()) for a in known}
    first = known[0].dims or ()
    if len(ranks) > 1:
        odd = next(a for a in known if len(a.dims or ()) != len(first))
        run.clash("rank", what, [known[0], odd], [None, None], [Dim(len(first), known[0].origin), _rank(odd)])
        return Array(None, origin, known[0].kind)
    rank = len(first) + (1 if new else 0)
    at = axis % rank if rank else 0
    if axis >= rank or axis < -rank:
        sides = [Dim(rank, known[0].origin), Dim(axis + 1 if axis >= 0 else -axis, asked.origin if asked else origin)]
        run.clash("rank", what, [known[0], asked or known[-1]], [None, None], sides, hint="axis")
    for other in known[1:]:
        for i, (left, right) in enumerate(zip(first, other.dims or (), strict=True)):
            if (new or i != at) and conflict(left, right):
                both = [known[0], other, *([asked] if asked is not None else [])]
                run.clash("equal", what, both, [i, i], [left, right], hint="axis")
    if new:
        made = [*first[:at], Dim(count, origin), *first[at:]]
    else:
        sizes = [(a.dims or ())[at].size for a in known] if first else []
        total = None if None in sizes or count != len(known) else sum(s or 0 for s in sizes)
        parents = (*((asked.origin,) if asked is not None and asked.origin is not None else ()), *origin.parents)
        made = [*first[:at], Dim(total, replace(origin, text=JOINED, parents=parents)), *first[at + 1 :]]
    result = Array(made, origin, known[0].kind)
    result.inputs = tuple(known)
    return result


def _rank(value: Array) -> Dim:
    return Dim(len(value.dims or ()), value.origin)


def elements(dims: Sequence[Dim]) -> int | None:
    """The number of elements; None where a size is not known."""
    total = 1
    for found in dims:
        if found.size is None:
            return None
        total *= found.size
    return total


def reshaped(run: Follower, value: Value, wanted: tuple[Dim, ...] | None, free: Sequence[int]) -> Value:
    """An array in a new shape; `free` are the axes that were asked as -1. A clash where the elements do not fit."""
    origin = run.origin("reshape", "a reshape", value)
    source = array(value)
    if wanted is None:
        return Array(None, origin, source.kind if source is not None else "tensor")
    out = list(wanted)
    kind = source.kind if source is not None else "tensor"
    if source is not None and source.dims is not None:
        have = elements(source.dims)
        fixed = elements([d for i, d in enumerate(out) if i not in free])
        if have is not None and fixed is not None:
            fits = fixed and have % fixed == 0 if free else have == fixed
            if not fits:
                sides = [Dim(have, source.origin), Dim(fixed, origin)]
                run.clash("elements", "the reshape", [source, Array(out, origin)], [None, None], sides)
            elif len(free) == 1:
                passed = [d for d in source.dims if d.size == have // fixed]
                out[free[0]] = passed[0] if len(passed) == 1 else Dim(have // fixed, origin)
        elif len(free) == 1 and free[0] == 0 and len(source.dims) > 1 and source.dims[0].size is None:
            rest = elements(source.dims[1:])
            if rest is not None and rest == fixed:
                out[0] = source.dims[0]
            elif rest is not None and fixed:
                # A batch that is folded or torn: the rows are no longer those of the data.
                here = replace(origin, text=f"{FOLDS} rows: {rest} elements a row, as {fixed}")
                out = [Dim(d.size, here if is_at(d.origin, here) else d.origin) for d in out]
                out[0] = Dim(None, here)
                if rest % fixed and fixed % rest:
                    sides = [Dim(rest, source.origin), Dim(fixed, origin)]
                    run.clash("elements", "the reshape", [source, Array(out, origin)], [None, None], sides)
    made = Array(out, origin, kind)
    made.inputs = (source,) if source is not None else ()
    if source is not None:
        made.integer, made.classes = source.integer, source.classes
    return made


JOINED = "the sum of the joined sizes"
FOLDS = "the reshape folds"


def same(value: Value, run: Follower, what: str) -> Value:
    """An operation that keeps the shape."""
    found = array(value)
    if found is None:
        return unknown(value)
    made = Array(found.dims, found.origin, found.kind)
    made.inputs, made.integer, made.classes = (found,), found.integer, found.classes
    made.aliases = found.aliases
    return made
