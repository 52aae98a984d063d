"""The run folders below `xladoctor-runs`: which there are, which is the newest, and which may go."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xladoctor.errors import XladoctorError
from xladoctor.recording import LAST, files
from xladoctor.recording.run_folder import DEFAULT_FOLDER

_STAMPED = re.compile(r"\d{8}T\d{6}Z?-[0-9a-f]{4}\Z")
_MOST_FILES = 100_000


@dataclass(frozen=True)
class RecentRun:
    """One run folder: when it was made (seconds since 1970), its size in bytes, what was run and what came of it.

    `verdict` is None where the folder has no diagnosis; `running` where the command had not ended when it was written.
    """

    folder: Path
    time: float
    size: int
    command: str
    verdict: str | None
    title: str | None
    running: bool


def folders(above: Path | None = None) -> list[Path]:
    """The run folders that `scan --` and `trace --` made here, newest first."""
    place = Path(DEFAULT_FOLDER) if above is None else above
    try:
        found = [child for child in place.iterdir() if _STAMPED.match(child.name) and not child.is_symlink()]
    except OSError:
        return []
    # A name begins with the time at which it was made; of one second the clock of the disk knows more.
    return sorted((f for f in found if files.is_run_folder(f)), key=lambda f: (f.name[:16], _made(f)), reverse=True)


def newest(above: Path | None = None) -> Path:
    """The newest run folder.

    Raises:
        XladoctorError: there is none.
    """
    found = folders(above)
    if not found:
        raise XladoctorError(
            f"there is no run in {DEFAULT_FOLDER} here", hint="A run is recorded by xladoctor scan -- python train.py"
        )
    return found[0]


def named(target: str) -> str:
    """The newest run folder for the word "last", unless something of that name is there; else the target itself.

    Raises:
        XladoctorError: there is no run here.
    """
    return str(newest()) if target == LAST and not Path(target).exists() else target


def describe(folder: Path) -> RecentRun:
    """What is known of a run folder without diagnosing it again."""
    facts, said = _table(folder, "run.json"), diagnosis(folder)
    outcome = facts.get("outcome")
    command = facts.get("command")
    findings = said.get("findings")
    first = findings[0] if isinstance(findings, list) and findings and isinstance(findings[0], dict) else {}
    return RecentRun(
        folder,
        _made(folder),
        _size(folder),
        " ".join(map(str, command)) if isinstance(command, list) else "",
        str(said["verdict"]) if "verdict" in said else None,
        str(first["title"]) if "title" in first else None,
        isinstance(outcome, dict) and outcome.get("state") == "running",
    )


def diagnosis(folder: Path) -> dict[str, Any]:
    """The diagnosis in a run folder as it was written; empty where there is none."""
    return _table(folder, "diagnosis.json")


def clean(keep: int, above: Path | None = None) -> tuple[list[RecentRun], list[str]]:
    """Remove all but the newest `keep` run folders. Returns those that went, and why others could not. A run that has
    not ended stays.
    """
    gone: list[RecentRun] = []
    problems: list[str] = []
    for folder in folders(above)[keep:]:
        run = describe(folder)
        if run.running and time.time() - run.time < 7 * 86400:
            problems.append(f"{folder} stays: its command has not ended")
            continue
        try:
            shutil.rmtree(folder)
        except OSError as error:
            problems.append(f"{folder} could not be removed: {error.strerror or error}")
            continue
        gone.append(run)
    return gone, problems


def _table(folder: Path, name: str) -> dict[str, Any]:
    try:
        return files.read_table(folder, name)
    except (OSError, ValueError, files.Unusable):
        return {}


def _made(folder: Path) -> float:
    """When it was made, by its name; else when it was changed."""
    with contextlib.suppress(ValueError):
        import calendar

        return float(calendar.timegm(time.strptime(folder.name[:15], "%Y%m%dT%H%M%S")))
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0


def _size(folder: Path) -> int:
    """The bytes of its files; links are not followed."""
    total = seen = 0
    for root, _, names in os.walk(folder):
        for name in names:
            seen += 1
            if seen > _MOST_FILES:
                return total
            with contextlib.suppress(OSError):
                found = (Path(root) / name).lstat()
                total += found.st_size if stat.S_ISREG(found.st_mode) else 0
    return total
