"""A `Replay` from its JSON (`replay.json`, `xladoctor.replay/1`).

What is read may come from anywhere: a field that is missing takes its default, one that is not known is left out, and
one of the wrong type is an error.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import types
import typing
from collections.abc import Iterable, Mapping
from typing import Any

from xladoctor.errors import XladoctorError
from xladoctor.model import replay as model

_KEYS = {"slug": "class"}
"""Where the key in JSON is another one than the name here."""
_WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
"""Numbers that JSON does not know."""


def replay_of(document: Any) -> model.Replay:
    """The replay of a JSON document.

    Raises:
        XladoctorError: it is of another schema, or what it holds is not what its schema says.
    """
    schema = document.get("schema") if isinstance(document, Mapping) else None
    if schema != model.SCHEMA:
        raise XladoctorError(f"this is no replay: its schema is {schema!r}, and {model.SCHEMA!r} is read")
    try:
        found: model.Replay = _as(model.Replay, document)
    except (TypeError, ValueError) as error:
        raise XladoctorError(f"the replay cannot be read: {error}") from error
    return found


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


def replays_of(documents: Iterable[Any]) -> tuple[tuple[model.Replay, ...], tuple[str, ...]]:
    """(the trials of remedies in JSON documents of replays, in their order; why each of the others cannot be read).

    Only what a diagnosis needs is read, so that a part of another version or of the wrong type costs nothing else.
    """
    results = [_trials_or_problem(document) for document in documents]
    replays = tuple(r for r in results if isinstance(r, model.Replay))
    return replays, tuple(r for r in results if isinstance(r, str))


def _trials_or_problem(document: Any) -> model.Replay | str:
    needed = ("schema", "subject", "remedies", "folder")
    try:
        return replay_of({k: v for k, v in document.items() if k in needed} if isinstance(document, dict) else document)
    except XladoctorError as error:
        return str(error)
