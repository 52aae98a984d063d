"""Answers of workers for tests that need only a few of their fields: the others are empty."""

from __future__ import annotations

import dataclasses
import types
import typing
from typing import Any

from xladoctor.protocol import codec

_EMPTY = {str: "", int: 0, float: 0.0, bool: False, dict: {}}


def made(kind: Any, value: Any) -> Any:
    """What a worker answers of this kind, from the fields that a test cares about."""
    return codec.from_json(kind, whole(kind, value))


def whole(kind: Any, value: Any) -> Any:
    """The same as JSON has it, with every field that there must be."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind) and isinstance(value, dict):
        hints = typing.get_type_hints(kind)
        fields = {f.metadata.get("key", f.name): hints[f.name] for f in dataclasses.fields(kind)}
        needed = [f for f in dataclasses.fields(kind) if f.default is f.default_factory is dataclasses.MISSING]
        empty = {f.metadata.get("key", f.name): _empty(hints[f.name]) for f in needed}
        return {**empty, **{k: whole(fields[k], v) if k in fields else v for k, v in value.items()}}
    if origin in (types.UnionType, typing.Union) and value is not None:
        return whole(next((k for k in inner if dataclasses.is_dataclass(k)), inner[0]), value)
    if origin is tuple and isinstance(value, list | tuple):
        kinds = [inner[0]] * len(value) if inner[1:] == (...,) else inner
        return [whole(k, v) for k, v in zip(kinds, value, strict=True)]
    if origin is dict:
        return {name: whole(inner[1], item) for name, item in value.items()}
    return value


def _empty(kind: Any) -> Any:
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if type(None) in inner or kind is Any:
        return None
    if origin is typing.Literal:
        return inner[0]
    if origin is tuple:
        return [] if inner[1:] == (...,) else [_empty(k) for k in inner]
    return whole(kind, {}) if dataclasses.is_dataclass(kind) else _EMPTY[origin or kind]
