"""What `xladoctor replay` left about a run, read back as JSON objects."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from xladoctor.errors import XladoctorError
from xladoctor.recording import files

_SCHEMA = "xladoctor.replay/"


def of_run(folder: Path) -> tuple[tuple[dict[str, Any], ...], tuple[str, ...]]:
    """The replays kept in a run folder, oldest first, and what could not be read, in words."""
    beside = files.names(folder, like="replay*.json")
    inside = (f"replays/{name}/replay.json" for name in files.names(folder, "replays"))
    return _read(folder, [*beside, *inside])


def named(path: Path) -> dict[str, Any]:
    """A replay that a person names: its file, or the folder that holds `replay.json`.

    Raises:
        XladoctorError: (exit code 2) there is none, or it is no replay.
    """
    file = path / "replay.json" if path.is_dir() else path
    found, problems = _read(file.parent, [file.name])
    if problems:
        raise XladoctorError(problems[0])
    if not found:
        raise XladoctorError(f"{path}: there is no replay", hint="A replay is made by: xladoctor replay RUN_DIR")
    return found[0]


def _read(folder: Path, names: Iterable[str]) -> tuple[tuple[dict[str, Any], ...], tuple[str, ...]]:
    found: list[dict[str, Any]] = []
    problems: list[str] = []
    for name in names:
        value = _one(folder, name)
        if isinstance(value, dict):
            found.append(value)
        elif value is not None:
            problems.append(value)
    return tuple(found), tuple(problems)


def _one(folder: Path, name: str) -> dict[str, Any] | str | None:
    """A replay, or why it cannot be read, or None where there is none."""
    try:
        value = files.parsed(files.read(folder, name))
    except FileNotFoundError:
        return None
    except files.Unusable as error:
        return f"{folder}: {error.message}"
    except (OSError, ValueError) as error:
        return f"{folder / name} cannot be read: {error}"
    if isinstance(value, dict) and str(value.get("schema")).startswith(_SCHEMA):
        return value
    return f"{folder / name} is no replay"
