"""What `xladoctor replay` left about a run, read back as JSON objects."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from xladoctor.errors import XladoctorError
from xladoctor.evidence import files

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
        try:
            value = files.parsed(files.read(folder, name))
        except FileNotFoundError:
            continue
        except files.Unusable as error:
            problems.append(f"{folder}: {error.message}")
        except (OSError, ValueError) as error:
            problems.append(f"{folder / name} cannot be read: {error}")
        else:
            if isinstance(value, dict) and str(value.get("schema")).startswith(_SCHEMA):
                found.append(value)
            else:
                problems.append(f"{folder / name} is no replay")
    return tuple(found), tuple(problems)
