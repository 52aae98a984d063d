"""What a subject's own program writes into its settings and the environment, while it is imported and built.

A program that reads a setting first and writes it later runs under another value than it says. To see that, it is built
once more in a process in which all these values hold from the start (`xladoctor.experiments.settled`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

_LONGEST = 200
_before: tuple[dict[str, Any], dict[str, str]] | None = None


def note(config: Mapping[str, Any] | None) -> None:
    """Remember settings and environment as they are before the program is imported; the first time counts."""
    global _before
    if _before is None:
        # Past what notes who reads them (`reads`).
        _before = dict(dict.items(config) if isinstance(config, dict) else config or {}), dict(os.environ)


def written(config: Mapping[str, Any] | None) -> dict[str, str]:
    """{"cfg:KEY" or "env:NAME": value as text} of what has another value now; what cannot be written so is left out."""
    if _before is None:
        return {}
    settings, environment = _before
    found = {}
    for key, value in dict.items(config) if isinstance(config, dict) else (config or {}).items():
        text = _text(value)
        if text is not None and isinstance(key, str) and (key not in settings or _text(settings[key]) != text):
            found[f"cfg:{key}"] = text
    for name, held in os.environ.items():
        if environment.get(name) != held and len(held) <= _LONGEST:
            found[f"env:{name}"] = held
    return found


def _text(value: Any) -> str | None:
    """As `callables.value` reads it back; None for what is no number, word or list of them."""
    plain = value is None or isinstance(value, str | bool | int | float)
    if not plain and not (isinstance(value, list | tuple) and all(_text(v) is not None for v in value)):
        return None
    text = repr(value)
    return text if len(text) <= _LONGEST else None
