"""A `Replay` from its JSON (`replay.json`, `xladoctor.replay/1`).

The JSON may come from anywhere: a missing field takes its default, and an unknown one is left out.
"""

from __future__ import annotations

import functools
import typing
from collections.abc import Mapping
from typing import Any

from xladoctor.errors import XladoctorError
from xladoctor.model import replay as model
from xladoctor.protocol import codec


def replay_of(document: Any) -> tuple[model.Replay, tuple[str, ...]]:
    """(the replay of a JSON document, why parts of it cannot be read).

    A part that does not match its schema is left out; the others are kept.

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
        return codec.from_json(_hints(model.Replay)[name], value), None
    except codec.Misfit as error:
        return None, f"the replay's {name} cannot be read: {error}"


def isolation_of(value: Any) -> model.Isolation | None:
    """The isolation in a worker's answer; None if it has none."""
    try:
        return codec.read(model.Isolation, value)
    except codec.Misfit:
        return None


@functools.cache
def _hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind)
