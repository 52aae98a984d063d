"""What `xladoctor replay` left about a run, read back."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from xladoctor.errors import XladoctorError
from xladoctor.model.replay import Replay
from xladoctor.model.replay_reader import replay_of
from xladoctor.recording import files


def of_run(folder: Path) -> tuple[tuple[Replay, ...], tuple[str, ...]]:
    """(the replays kept in a run folder, oldest first; what could not be read, in words)."""
    beside = files.names(folder, like="replay*.json")
    inside = (f"replays/{name}/replay.json" for name in files.names(folder, "replays"))
    return _read(folder, [*beside, *inside])


def named(path: Path) -> tuple[Replay, tuple[str, ...]]:
    """(a replay that a person names, by its file or by the folder that holds `replay.json`; what of it is unreadable).

    Raises:
        XladoctorError: (exit code 2) there is none, or it is no replay.
    """
    file = path / "replay.json" if path.is_dir() else path
    found, problems = _read(file.parent, [file.name])
    if found:
        return found[0], problems
    if problems:
        raise XladoctorError(problems[0])
    raise XladoctorError(f"{path}: there is no replay", hint="A replay is made by: xladoctor replay RUN_DIR")


def _read(folder: Path, names: Iterable[str]) -> tuple[tuple[Replay, ...], tuple[str, ...]]:
    found: list[Replay] = []
    problems: list[str] = []
    for name in names:
        replay, unreadable = _one(folder, name)
        found += [replay] if replay is not None else []
        problems += unreadable
    return tuple(found), tuple(problems)


def _one(folder: Path, name: str) -> tuple[Replay | None, tuple[str, ...]]:
    """(a replay, or None where there is none or none that can be read; why not, or why parts of it cannot)."""
    try:
        replay, parts = replay_of(files.parsed(files.read(folder, name)))
    except FileNotFoundError:
        return None, ()
    except files.Unusable as error:
        return None, (f"{folder}: {error.message}",)
    except (OSError, ValueError) as error:
        return None, (f"{folder / name} cannot be read: {error}",)
    except XladoctorError as error:
        return None, (f"{folder / name}: {error.message}",)
    return replay, tuple(f"{folder / name}: {problem}" for problem in parts)
