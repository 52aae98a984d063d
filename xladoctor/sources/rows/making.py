"""New arrays, and arrays of positions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from xladoctor.sources.rows.values import Array, Items, Names, RowSet, Shape

if TYPE_CHECKING:
    from xladoctor.sources.rows.read import Reader

MAKES = frozenset(
    {
        "beta", "binomial", "chisquare", "empty", "empty_like", "exponential", "full", "gamma", "geometric", "gumbel",
        "integers", "laplace", "linspace", "logistic", "lognormal", "normal", "ones", "ones_like", "poisson", "rand",
        "randint", "randn", "random", "random_sample", "rayleigh", "standard_normal", "uniform", "weibull", "zeros",
        "zeros_like",
    }
)  # fmt: skip
PICKS = frozenset({"arange", "choice", "permutation", "range", "flatnonzero", "nonzero", "where"})
_ONE = ("chisquare", "exponential", "geometric", "poisson", "rayleigh", "weibull")
_SIZE_AT = dict.fromkeys(_ONE, 1) | dict.fromkeys(
    ("beta", "binomial", "gamma", "gumbel", "integers", "laplace", "linspace", "logistic", "lognormal", "normal",
     "randint", "uniform"), 2
)  # fmt: skip


def made(name: str, given: list[Any], named: Names) -> Array:
    """A new array: its sizes, where they are written out."""
    if name.endswith("_like"):
        like = given[0] if given else None
        rows = like.rows if isinstance(like, Array) else None
        return Array(rows, like.shape if isinstance(like, Array) else None, zeros=name == "zeros_like")
    if name in ("rand", "randn"):
        size: Any = Items(given)
    else:
        size = named.get("size", named.get("shape"))
        at = _SIZE_AT.get(name, 0)
        if size is None and len(given) > at:
            size = given[at]
        elif size is None and name in ("normal", "uniform") and given and isinstance(given[0], Items):
            size = given[0]
    return Array(RowSet(), sizes_of(size), zeros=name in ("zeros", "empty"), integral=name in ("integers", "randint"))


def mgrid(reader: Reader, where: ast.expr, names: Names) -> Items | None:
    """`np.mgrid[:h, :w]`: an array for each axis, all of these sizes."""
    slices = where.elts if isinstance(where, ast.Tuple) else [where]
    if not all(isinstance(s, ast.Slice) and s.step is None for s in slices):
        return None
    ends = [
        (reader.value(s.lower, names) or 0, reader.value(s.upper, names)) for s in slices if isinstance(s, ast.Slice)
    ]
    sizes = tuple(b - a if isinstance(a, int) and isinstance(b, int) else None for a, b in ends)
    return Items([Array(RowSet(), sizes) for _ in sizes])


LITERALS = frozenset({"array", "asarray", "constant", "float32", "convert_to_tensor"})


def written(value: Any) -> Array | None:
    """An array whose numbers are written out: its sizes."""
    sizes: list[int] = []
    while isinstance(value, Items) and value.block is None and value.values:
        inner = value.values
        sizes.append(len(inner))
        if any(isinstance(v, Items) != isinstance(inner[0], Items) for v in inner):
            return None
        value = inner[0]
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return Array(RowSet(), tuple(sizes)) if sizes and plain else None


def sizes_of(value: Any) -> Shape | None:
    """A shape from a number, or from a tuple of numbers."""
    if isinstance(value, int) and not isinstance(value, bool):
        return (value,)
    if isinstance(value, Items) and value.block is None and value.values:
        return tuple(v if isinstance(v, int) else None for v in value.values)
    return None


def picked(name: str, values: list[Any], named: Names) -> Any:
    """Positions: drawn, or those at which an array has something."""
    first = values[0] if values else None
    if name in ("arange", "range"):
        count = first if isinstance(first, int) and len(values) == 1 else None
        rows = RowSet()
        return Array(rows, (count,), of=RowSet(), picks=rows, order=True)
    if name in ("choice", "permutation"):
        return _drawn(name, first, values, named)
    if not isinstance(first, Array) or first.rows is None or len(values) > (1 if name == "where" else 3):
        return None
    if first.across is not None and (name == "top_k" or named.get("axis", values[-1]) in (1, -1)):
        return _across(name, first)
    if name in ("argmax", "argmin"):
        return _of_most(first, named.get("axis", values[1] if len(values) > 1 else None))
    if first.shape is not None and len(first.shape) > 1 and name != "top_k":
        return None
    order = name == "argsort"
    if order and first.of is not None and first.order:  # the way back
        return Array(first.of, first.shape, of=first.picks, picks=first.of, order=True)
    rows = RowSet(source=first.rows, order=order)
    found = Array(rows, (first.count,) if order and first.shape else None, of=first.rows, picks=rows, order=order)
    if name == "top_k" and first.shape is not None and len(first.shape) == 1:
        return Items([first.as_new(rows=rows, shape=(None,), name=""), found])
    return Items([found]) if name in ("nonzero", "where") else found


def _of_most(array: Array, axis: Any) -> Array | None:
    """The position of one row, of the largest or least number; of a class, along the other axis, it is none."""
    flat = array.shape is not None and len(array.shape) == 1
    return Array(RowSet(), (), of=array.rows, picks=RowSet(source=array.rows)) if flat or axis == 0 else None


def _across(name: str, array: Array) -> Any:
    """Positions along the last axis, for each row: of `top_k` beside the values."""
    at = Array(array.rows, of=array.across, picks=None)
    return Items([array.as_new(across=None, shape=None), at]) if name == "top_k" else at


def _drawn(name: str, first: Any, values: list[Any], named: Names) -> Any:
    """`permutation(n)` and `choice(n, k)`; of an array `permutation` is the array in another order."""
    if isinstance(first, Array) and first.of is None:
        if name != "permutation" or first.rows is None:
            return None
        return first.as_new(rows=RowSet(source=first.rows, order=True), name="")
    known = isinstance(first, Array)
    of = first.of if isinstance(first, Array) and first.of is not None else RowSet()
    rows = RowSet(source=of, order=name == "permutation")
    size = named.get("size", values[1] if len(values) > 1 else None)
    count = (first.count if isinstance(first, Array) else first) if name == "permutation" else size
    shape = (count,) if isinstance(count, int) and not isinstance(count, bool) else None
    if name == "choice" and not (isinstance(size, int) or named.get("replace") is False):
        return None
    return Array(rows, shape, of=of, picks=rows, order=name == "permutation" and (known or True))


def ordered(positions: Any) -> Array | None:
    """Positions that were put into another order, in place or by a key."""
    if not isinstance(positions, Array) or positions.of is None:
        return None
    rows = RowSet(source=positions.of, order=True)
    return Array(rows, positions.shape, of=positions.of, picks=rows, order=True, name=positions.name)
