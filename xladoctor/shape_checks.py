"""Shapes of one call, checked in a test: against a contract, or that as many rows come out as went in."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol


class ContractCheck(Protocol):
    """The fixture `shape_contract`."""

    def __call__(
        self,
        contract: str,
        function: Callable[..., Any],
        /,
        *args: Any,
        axes: Mapping[str, int] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Call the function and check the shapes."""


class RowCheck(Protocol):
    """The fixture `rows_kept`."""

    def __call__(self, function: Callable[..., Any], /, *args: Any, sizes: Sequence[int] = (), **kwargs: Any) -> Any:
        """Call the function and count the rows."""


def check_contract(
    contract: str,
    function: Callable[..., Any],
    /,
    *args: Any,
    axes: Mapping[str, int] | None = None,
    **kwargs: Any,
) -> Any:
    """Call `function(*args, **kwargs)` and return what it gives, if the shapes keep the contract (docs/places.md).

    `contract` is such as `x (B N), k (B) -> (B N)`; `axes` are sizes of axes that no tensor gives.

    Raises:
        AssertionError: a shape breaks the contract; each that does is named.
        ValueError: the contract cannot be read.
    """
    __tracebackhide__ = True
    from xladoctor.diagnosis.contracts import check, parse
    from xladoctor.diagnosis.places import labelled

    agreed = parse(contract)
    given = list(_named(function, args, kwargs))
    result = function(*args, **kwargs)
    inputs = [tensor.get("shape") for tensor in labelled(agreed, given, "in")]
    outputs = [shape for _, _, shape in _leaves("result", result)]
    outside = {name: (int(size), "the test") for name, size in (axes or {}).items()}
    violations = check(agreed, inputs, outputs, outside).violations
    missing = len(agreed.outputs) - len(outputs)
    reasons = [violation.reason for violation in violations]
    if missing > 0:
        reasons.append(f"the contract has {len(agreed.outputs)} results, and {len(outputs)} tensors came out")
    if reasons:
        raise AssertionError(f"{_name(function)} breaks {contract!r}: " + "; ".join(reasons))
    return result


def check_rows(function: Callable[..., Any], /, *args: Any, sizes: Sequence[int] = (), **kwargs: Any) -> Any:
    """Call `function(*args, **kwargs)`, if `sizes` are named once with so many first rows of every array among `args`,
    and return what it gave last, if each result had as many rows as went in.

    Raises:
        AssertionError: a result has another number of rows.
        ValueError: no argument is an array with rows, the arrays have different numbers of rows, or fewer than a size.
    """
    __tracebackhide__ = True
    have = {shape[0] for arg in args for _, _, shape in _leaves("", arg) if shape}
    rows = next(iter(have)) if len(have) == 1 else None
    if rows is None:
        counts = ", ".join(sorted(map(str, have))) or "none"
        raise ValueError(f"the arguments must be arrays of as many rows each; their rows: {counts}")
    if any(not 0 < size <= rows for size in sizes):
        raise ValueError(f"sizes must be between 1 and the {rows} rows of the arguments")
    result = None
    for size in sizes or (rows,):
        given = args if size == rows else tuple(_first(arg, size) for arg in args)
        result = function(*given, **kwargs)
        wrong = [(name, shape) for name, _, shape in _leaves("result", result) if not shape or shape[0] != size]
        if wrong:
            name, shape = wrong[0]
            raise AssertionError(f"{_name(function)}: {size} rows went in, and {name} has the shape {_text(shape)}")
    return result


def _named(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    try:
        bound: Mapping[str, Any] = inspect.signature(function).bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        bound = {**{str(number): value for number, value in enumerate(args)}, **kwargs}
    for name, value in bound.items():
        for arg, _, shape in _leaves(name, value):
            yield {"arg": arg, "shape": shape}


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Any, list[int | None]]]:
    """(name, array, shape) of the arrays in a value, in order."""
    if isinstance(value, Mapping):
        for key in value:
            yield from _leaves(f"{name}[{key}]", value[key])
    elif isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            yield from _leaves(f"{name}[{number}]", item)
    elif hasattr(value, "shape") and hasattr(value, "dtype"):
        shape = value.shape
        yield name, value, list(shape.as_list() if hasattr(shape, "as_list") else shape)


def _first(value: Any, rows: int) -> Any:
    if isinstance(value, Mapping):
        return {key: _first(item, rows) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_first(item, rows) for item in value)
    return value[:rows] if hasattr(value, "shape") and hasattr(value, "dtype") and len(value.shape) else value


def _name(function: Callable[..., Any]) -> str:
    return str(
        getattr(function, "__qualname__", None) or getattr(function, "__name__", None) or type(function).__name__
    )


def _text(shape: Sequence[int | None]) -> str:
    return "(" + ", ".join("?" if n is None else str(n) for n in shape) + ")"
