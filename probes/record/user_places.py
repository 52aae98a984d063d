"""The places that the user added: read from the run folder, where the doctor left them before the target started.

The doctor has read the user's `pyproject.toml` and said what is wrong with it. Here nonsense is left out in silence.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from .. import profile, schema

_NAME = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*\Z")
_ORIGIN = "pyproject.toml"


def read(run_dir: Path) -> list[profile.Place]:
    """The user's places, or none where there is no such file or nothing in it can be read."""
    try:
        listed = json.loads((run_dir / schema.PLACES_FILE).read_bytes())
        entries = listed["places"]
        return [found for entry in entries if (found := _place(entry)) is not None]
    except (OSError, ValueError, TypeError, KeyError):
        return []


def _place(entry: Any) -> profile.Place | None:
    if not isinstance(entry, dict):
        return None
    name, contract, axes = entry.get("name"), entry.get("contract"), entry.get("axes") or {}
    if not isinstance(name, str) or not _NAME.match(name) or not isinstance(contract, str):
        return None
    pairs = axes.items() if isinstance(axes, dict) else ()
    given = tuple((str(axis), where) for axis, where in pairs if isinstance(where, str))
    return profile.Place(name, contract, given, _ORIGIN)


def merged(built_in: tuple[profile.Place, ...], users: list[profile.Place]) -> list[profile.Place]:
    """All places; the user's word counts where both name the same one."""
    named = {place.name: place for place in (*built_in, *users)}
    return list(named.values())
