"""A working directory for a rehearsal: it looks like the user's, and what is written there is written there only.

Directories are made anew, small files are copied, large ones are links (which a confined process cannot write through).
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections import deque
from dataclasses import dataclass
from pathlib import Path

_MAX_ENTRIES = 20_000
_SMALL = 1 << 20
_MAX_COPIED = 64 << 20
# Large, and nobody's output.
_WHOLE = frozenset({".git", ".hg", ".venv", "venv", "node_modules", "__pycache__", "xladoctor-runs"})


@dataclass(frozen=True)
class Listing:
    """What stood in a directory at one moment: relative paths. `linked` are taken as they are, with all below."""

    root: Path
    folders: tuple[str, ...]
    files: tuple[str, ...]
    linked: tuple[str, ...]
    truncated: bool = False
    """Whether some of it was too much to be listed."""


def look(root: Path) -> Listing:
    """List a directory, nearest entries first, up to a bound: what lies deeper is linked as a whole."""
    folders: list[str] = []
    files: list[str] = []
    linked: list[str] = []
    truncated = False
    waiting = deque([""])
    while waiting:
        folder = waiting.popleft()
        if len(folders) + len(files) + len(linked) > _MAX_ENTRIES:
            linked.append(folder)
            truncated = True
            continue
        if folder:
            folders.append(folder)
        try:
            entries = sorted(os.scandir(root / folder), key=lambda e: e.name)
        except OSError:
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_symlink() or entry.name in _WHOLE or entry.name.endswith(".egg-info"):
                linked.append(path)
            elif entry.is_dir():
                waiting.append(path)
            elif entry.is_file():
                files.append(path)
    return Listing(root, tuple(folders), tuple(files), tuple(linked), truncated)


def make(listing: Listing, folder: Path) -> None:
    """Make the working directory in `folder`, which must be empty or not exist.

    It has no link to a directory in which it stands itself, such as `xladoctor-runs`: whatever follows links, as
    pytest does, would go round in circles there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    here = folder.resolve()
    for name in listing.folders:
        (folder / name).mkdir(parents=True, exist_ok=True)
    copied = 0
    for name in listing.files:
        source = listing.root / name
        with contextlib.suppress(OSError):
            size = source.stat().st_size
            if size <= _SMALL and copied + size <= _MAX_COPIED:
                shutil.copy2(source, folder / name)
                copied += size
            else:
                (folder / name).symlink_to(source)
    for name in listing.linked:
        target = folder / name
        if here.is_relative_to((listing.root / name).resolve()):
            continue
        with contextlib.suppress(OSError):
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                target.symlink_to(listing.root / name)
