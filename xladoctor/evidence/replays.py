"""What `xladoctor replay` left about a run, read back as JSON objects."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from xladoctor.errors import XladoctorError

_SCHEMA = "xladoctor.replay/"
_LARGEST = 64 << 20


def of_run(folder: Path) -> tuple[tuple[dict[str, Any], ...], tuple[str, ...]]:
    """The replays kept in a run folder, oldest first, and what could not be read, in words."""
    files = [*sorted(folder.glob("replay*.json")), *sorted(folder.glob("replays/*/replay.json"))]
    return _read(files)


def named(path: Path) -> dict[str, Any]:
    """A replay that a person names: its file, or the folder that holds `replay.json`.

    Raises:
        XladoctorError: (exit code 2) there is none, or it is no replay.
    """
    file = path / "replay.json" if path.is_dir() else path
    if not file.is_file():
        raise XladoctorError(f"{path}: there is no replay", hint="A replay is made by: xladoctor replay RUN_DIR")
    found, problems = _read([file])
    if problems:
        raise XladoctorError(problems[0])
    return found[0]


def _read(files: Iterable[Path]) -> tuple[tuple[dict[str, Any], ...], tuple[str, ...]]:
    found: list[dict[str, Any]] = []
    problems: list[str] = []
    for file in files:
        try:
            if file.stat().st_size > _LARGEST:
                raise ValueError("it is larger than 64 MiB")
            value = json.loads(file.read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            problems.append(f"{file} cannot be read: {error}")
            continue
        if isinstance(value, dict) and str(value.get("schema")).startswith(_SCHEMA):
            found.append(value)
        else:
            problems.append(f"{file} is no replay")
    return tuple(found), tuple(problems)
