"""Frozen dataclasses to and from values that JSON holds, by their annotations.

A field is written under its name, or under `metadata["key"]` where that name is not free in Python. A field that has a
default is left out where it holds it; one without a default is always written, and must be there to be read. Numbers
that JSON does not know are written as words. Standard library only: it runs in the target's interpreter, and the doctor
loads it from its file.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

T = TypeVar("T")
Reader = Callable[[Any], Any]

_NUMBERS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf, "inf": math.inf, "-inf": -math.inf}
_SHOWN = 60


class Record:
    """Base of many dataclasses that are made with `eq=False, repr=False`: a worker starts in half the time where
    these two are written once, and not generated for each.
    """

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"

    __hash__ = None  # type: ignore[assignment]


class Misfit(ValueError):
    """A value is not what its annotation says: `path` leads to it, `why` says what stands there."""

    def __init__(self, why: str, path: str = "") -> None:
        super().__init__(f"{path.lstrip('.')}: {why}" if path else why)
        self.why = why
        self.path = path

    def within(self, step: str) -> Misfit:
        """The same misfit, seen from one level further out."""
        return Misfit(self.why, step + self.path)


def to_json(value: Any) -> Any:
    """A dataclass, or a nest of them, as lists, objects, strings and numbers."""
    if dataclasses.is_dataclass(value):
        fields = [(f, getattr(value, f.name)) for f in dataclasses.fields(value)]
        return {_key(field): to_json(item) for field, item in fields if not _is_default(field, item)}
    if isinstance(value, Mapping):
        return {str(name): to_json(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def from_json(kind: Any, value: Any, *, strict: bool = False) -> Any:
    """A value of JSON as an annotation says: a dataclass, or a nest of the standard types. `strict` also refuses a
    field that the dataclass does not have; otherwise it is left out.

    Raises:
        Misfit: something in it has another type, or is missing.
    """
    return _reader(kind, strict)(value)


def read(kind: type[T], value: Any, *, strict: bool = False) -> T:
    """`from_json` for one class, so that a type checker knows what it gives."""
    found: T = from_json(kind, value, strict=strict)
    return found


def _key(field: dataclasses.Field[Any]) -> str:
    return str(field.metadata.get("key", field.name))


def _is_default(field: dataclasses.Field[Any], value: Any) -> bool:
    if field.default_factory is not dataclasses.MISSING:
        default = field.default_factory()
    elif field.default is not dataclasses.MISSING:
        default = field.default
    else:
        return False
    return type(value) is type(default) and bool(value == default)


@functools.cache
def _reader(kind: Any, strict: bool) -> Reader:
    """What reads values of one annotation."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return lambda value: value
    if dataclasses.is_dataclass(kind):
        return _record(kind, strict)
    if origin in (types.UnionType, typing.Union):
        return _union(kind, [_reader(one, strict) for one in inner])
    if origin is typing.Literal:
        return lambda value: _checked(any(value == one and type(value) is type(one) for one in inner), kind, value)
    if origin is tuple and inner[1:] == (...,):
        return _items(kind, tuple, _reader(inner[0], strict))
    if origin is tuple:
        return _row(kind, [_reader(one, strict) for one in inner])
    if origin is list:
        return _items(kind, list, _reader(inner[0], strict))
    if origin is dict:
        return _mapping(kind, _reader(inner[1], strict))
    if kind is float:
        return _number
    if kind is type(None):
        return lambda value: _checked(value is None, None, value)
    return lambda value: _checked(
        isinstance(value, kind) and not (kind is int and isinstance(value, bool)), kind, value
    )


def _record(kind: Any, strict: bool) -> Reader:
    hints = typing.get_type_hints(kind)
    fields = {_key(f): f for f in dataclasses.fields(kind) if f.init}
    readers = {key: _reader(hints[f.name], strict) for key, f in fields.items()}
    needed = [k for k, f in fields.items() if f.default is f.default_factory is dataclasses.MISSING]

    def read_record(value: Any) -> Any:
        _checked(isinstance(value, Mapping), kind, value)
        missing = [key for key in needed if key not in value]
        unknown = [key for key in value if key not in fields] if strict else []
        if missing or unknown:
            raise Misfit(f"{kind.__name__} needs {missing[0]!r}" if missing else f"there is no {unknown[0]!r:.60}")
        return kind(
            **{fields[key].name: _within(f".{key}", readers[key], value[key]) for key in fields if key in value}
        )

    return read_record


def _union(kind: Any, readers: list[Reader]) -> Reader:
    def read_one_of(value: Any) -> Any:
        misfits = []
        for reader in readers:
            found = _tried(reader, value)
            if not isinstance(found, Misfit):
                return found
            misfits.append(found)
        # What is wrong inside of an object says more than that it is not None.
        raise next((m for m in misfits if m.path), Misfit(_stands(value, kind)))

    return read_one_of


def _tried(reader: Reader, value: Any) -> Any:
    try:
        return reader(value)
    except Misfit as error:
        return error


def _items(kind: Any, make: Callable[[Any], Any], reader: Reader) -> Reader:
    def read_items(value: Any) -> Any:
        _checked(isinstance(value, list | tuple), kind, value)
        return make([_within(f"[{i}]", reader, item) for i, item in enumerate(value)])

    return read_items


def _row(kind: Any, readers: list[Reader]) -> Reader:
    def read_row(value: Any) -> Any:
        _checked(isinstance(value, list | tuple) and len(value) == len(readers), kind, value)
        return tuple(
            _within(f"[{i}]", reader, item) for i, (reader, item) in enumerate(zip(readers, value, strict=True))
        )

    return read_row


def _mapping(kind: Any, reader: Reader) -> Reader:
    def read_mapping(value: Any) -> Any:
        _checked(isinstance(value, Mapping) and all(isinstance(name, str) for name in value), kind, value)
        return {name: _within(f".{name}", reader, item) for name, item in value.items()}

    return read_mapping


def _number(value: Any) -> float:
    value = _NUMBERS.get(value, value) if isinstance(value, str) else value
    _checked(isinstance(value, int | float) and not isinstance(value, bool), float, value)
    try:
        return float(value)
    except OverflowError as error:
        raise Misfit(_stands(value, float)) from error


def _within(step: str, reader: Reader, value: Any) -> Any:
    try:
        return reader(value)
    except Misfit as error:
        raise error.within(step) from None


def _checked(right: bool, wanted: Any, value: Any) -> Any:
    if not right:
        raise Misfit(_stands(value, wanted))
    return value


def _stands(value: Any, wanted: Any) -> str:
    named = wanted.__name__ if isinstance(wanted, type) and not typing.get_args(wanted) else wanted
    return f"{str(value)[:_SHOWN]!r} stands where {named} is expected"
