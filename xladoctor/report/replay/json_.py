"""A replay as JSON (`xladoctor.replay/1`): the keys of the dataclasses in `model.replay`, but `class` for `slug`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from xladoctor.report.json_ import plain

if TYPE_CHECKING:
    from xladoctor.model.replay import Replay

_FIRST = ("schema", "tool_version", "subject")


def render(found: Replay, indent: int | None = 2) -> str:
    """The JSON text, with a line break at its end."""
    return json.dumps(to_dict(found), indent=indent, allow_nan=False) + "\n"


def to_dict(found: Replay) -> dict[str, Any]:
    """The replay as what JSON can hold, keys in the order of the schema."""
    data = _classes(plain(found))
    return {key: data[key] for key in _FIRST} | {k: v for k, v in data.items() if k not in _FIRST}


def _classes(value: Any) -> Any:
    if isinstance(value, dict):
        return {"class" if key == "slug" else key: _classes(item) for key, item in value.items()}
    return [_classes(item) for item in value] if isinstance(value, list) else value
