"""A `Replay` from its JSON (`replay.json`, `xladoctor.replay/1`).

What is read may come from anywhere: a field that is missing takes its default, and one that is not known is left out.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import types
import typing
from collections.abc import Mapping
from typing import Any

from xladoctor.errors import XladoctorError
from xladoctor.model import replay as model

_KEYS = {"slug": "class"}
"""Where the key in JSON is another one than the name here."""
_WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf, "inf": math.inf}
"""Numbers that JSON does not know; the last as maps had it up to 0.1."""


def replay_of(document: Any) -> tuple[model.Replay, tuple[str, ...]]:
    """(the replay of a JSON document, why parts of it cannot be read).

    A part that is not what its schema says is left out; the others are kept.

    Raises:
        XladoctorError: it is of another schema, or does not say what was replayed.
    """
    schema = document.get("schema") if isinstance(document, Mapping) else None
    if schema != model.SCHEMA:
        raise XladoctorError(f"this is no replay: its schema is {schema!r}, and {model.SCHEMA!r} is read")
    read = {name: _part(name, document[name]) for name in _hints(model.Replay) if name in document}
    parts = {name: part for name, (part, problem) in read.items() if problem is None}
    problems = tuple(problem for _, problem in read.values() if problem is not None)
    if "subject" not in parts:
        raise XladoctorError("the replay cannot be read: it does not say what its subject is")
    return model.Replay(**parts), problems


def _part(name: str, value: Any) -> tuple[Any, str | None]:
    try:
        return _as(_hints(model.Replay)[name], value), None
    except (TypeError, ValueError) as error:
        return None, f"the replay's {name} cannot be read: {error}"


def isolation_of(value: Any) -> model.Isolation | None:
    """The isolation that a worker's answer holds; None where what it holds is none."""
    try:
        found: model.Isolation = _as(model.Isolation, value)
    except (TypeError, ValueError):
        return None
    return found


def _as(wanted: Any, value: Any) -> Any:
    """A value of JSON as what an annotation says."""
    if wanted is Any:
        return value
    if dataclasses.is_dataclass(wanted):
        return _record(wanted, value)
    origin, inner = typing.get_origin(wanted), typing.get_args(wanted)
    if origin in (types.UnionType, typing.Union):
        if value is None and type(None) in inner:
            return None
        (one,) = [kind for kind in inner if kind is not type(None)]
        return _as(one, value)
    if origin is typing.Literal:
        return _checked(value in inner, wanted, value)
    if origin is tuple:
        _checked(isinstance(value, list | tuple), wanted, value)
        kinds = inner[:1] * len(value) if inner[1:] == (...,) else inner
        return tuple(_as(kind, item) for kind, item in zip(kinds, value, strict=True))
    if origin is list:
        return [_as(inner[0], item) for item in _checked(isinstance(value, list), wanted, value)]
    if origin is dict:
        return dict(_checked(isinstance(value, dict), wanted, value))
    if wanted is float:
        value = _WORDS.get(value, value) if isinstance(value, str) else value
        whole = isinstance(value, int | float) and not isinstance(value, bool)
        return float(_checked(whole, wanted, value))
    return _checked(isinstance(value, wanted) and not (wanted is int and isinstance(value, bool)), wanted, value)


def _record(kind: Any, value: Any) -> Any:
    _checked(isinstance(value, Mapping), kind, value)
    hints = _hints(kind)
    keys = {f.name: _KEYS.get(f.name, f.name) for f in dataclasses.fields(kind)}
    return kind(**{name: _as(hints[name], value[key]) for name, key in keys.items() if key in value})


@functools.cache
def _hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _checked(right: bool, wanted: Any, value: Any) -> Any:
    if not right:
        raise TypeError(f"{str(value)[:60]!r} stands where {getattr(wanted, '__name__', wanted)} is expected")
    return value
