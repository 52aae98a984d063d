"""What a study is made of, as digests: an answer about it holds as long as none of them changes.

Nobody knows in advance what a program reads. So the working directory counts as a whole, the environment as a whole,
the interpreter with the packages beside it, and of what lies elsewhere each file and folder that the rehearsal saw the
program open.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from xladoctor.experiments import overlay
from xladoctor.recording import copies
from xladoctor.recording.run import Recording
from xladoctor.recording.schema import schema

MISSING = "missing"

_RESULTS = frozenset({"xladoctor-runs", "__pycache__"})
_MAX_READ = 64 << 20
_PASSING = frozenset(
    {"_", "SHLVL", "OLDPWD", "PWD", "COLUMNS", "LINES", "WINDOWID", "TERM_SESSION_ID", "TMUX", "TMUX_PANE", "STY"}
)
"""Variables that differ from one shell to the next and tell a program nothing of its study."""


def digest(value: object) -> str:
    """Of anything that JSON can hold."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def of_environment(environment: Mapping[str, str]) -> str:
    """Of all variables: which of them a program reads, C++ included, is not known. No value can be read back."""
    return digest({k: v for k, v in environment.items() if k not in _PASSING and not k.startswith("SSH_")})


def of_folder(listing: overlay.Listing) -> str | None:
    """Of all files of the working directory; None where there are too many to look at."""
    if listing.truncated:
        return None
    left = _MAX_READ
    rows: dict[str, object] = {}
    for name in listing.files:
        path = listing.root / name
        if _RESULTS.isdisjoint(path.relative_to(listing.root).parts):
            rows[name], used = _of_file(path, left)
            left -= used
    for name in listing.linked:
        path = listing.root / name
        if path.name not in _RESULTS:
            rows[name] = str(path.readlink()) if path.is_symlink() else "folder"
    return digest(rows)


def of_interpreter(program: str | None) -> str:
    """Of an interpreter and the packages that are installed beside it."""
    if program is None:
        return MISSING
    path = Path(program)
    packages = [
        entry.name
        for site in sorted(path.parent.parent.glob("lib/python3*/site-packages"))
        for entry in os.scandir(site)
        if entry.name.endswith((".dist-info", ".egg-info", ".egg-link", ".pth"))
    ]
    return digest([str(path), *_stamp(path.resolve()), sorted(packages)])


def of_recording(recording: Recording, root: Path) -> dict[str, str] | None:
    """{path: digest} of the files and folders that the program opened; None where that is not wholly known."""
    events = recording.of_kind(schema.REHEARSAL)
    if not any(e.get("noted") for e in events) or any(e.get("unknown") for e in events):
        return None
    work, inside = str(recording.folder / copies.WORK), str(recording.folder)
    paths: dict[str, str] = {}
    for event in events:
        for path in (*(event.get("files") or ()), *(event.get("listed") or ())):
            name = path.replace(work, str(root), 1) if (path + os.sep).startswith(work + os.sep) else path
            if not name.startswith((inside, str(root / "xladoctor-runs"))):
                paths[name] = of_path(name)
    # What is not there now was made by the rehearsal itself.
    return {k: v for k, v in paths.items() if v != MISSING or not k.startswith(str(root))}


def same(paths: Mapping[str, str]) -> bool:
    """Whether each path is as it was."""
    return all(of_path(name) == was for name, was in paths.items())


def of_path(name: str) -> str:
    """Of a file, or of the names in a folder."""
    path = Path(name)
    try:
        if path.is_dir():
            return digest(_names(path))
        return str(_of_file(path, _MAX_READ)[0])
    except OSError:
        return MISSING


def _names(folder: Path) -> list[str]:
    return sorted(e.name for e in os.scandir(folder) if e.name not in _RESULTS)


def _of_file(path: Path, left: int) -> tuple[object, int]:
    """(the digest of a file, how many bytes were read for it): of its content, or of its size and time."""
    try:
        size, changed = _stamp(path)
        if size > left:
            return f"{size}-{changed}", 0
        return hashlib.sha256(path.read_bytes()).hexdigest(), size
    except OSError:
        return MISSING, 0


def _stamp(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def merged(parts: Iterable[Mapping[str, str] | None]) -> dict[str, str] | None:
    """All of them; None where one is not known."""
    together: dict[str, str] = {}
    for part in parts:
        if part is None:
            return None
        together |= part
    return together
