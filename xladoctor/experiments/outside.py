"""Folders outside of its own that a rehearsed command may write to: which ones, and where their changes go."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

_ALWAYS = ("/dev", "/proc")
_OTHERS = ("/var/tmp", "/dev/shm")  # noqa: S108 (a folder with a random name is made there)


def named(words: Sequence[str], outputs: Iterable[str] = ()) -> list[Path]:
    """The existing folders that the absolute paths of a command line lie in, and those of `outputs`: each once, none
    below another. Programs and scripts are read only.
    """
    found = [Path(o).absolute() for o in outputs]
    for word in words:
        text = word if word.startswith("/") else word.partition("=")[2]
        path = Path(text)
        if text.startswith("/") and not _is_program(path):
            found.append(path)
    folders = dict.fromkeys(f for f in map(_existing, found) if f != Path(f.anchor) and not _below(f, _ALWAYS))
    return [f for f in folders if not any(f != other and f.is_relative_to(other) for other in folders)]


@contextlib.contextmanager
def stores(folders: Sequence[Path], run: Path) -> Iterator[list[tuple[str, str]]]:
    """[(folder, where its changes go)] for `probes.record.redirect`: in the run folder; but if that lies in the folder
    itself, elsewhere for as long as this lasts; "" where there is no such place.
    """
    with contextlib.ExitStack() as stack:
        pairs = []
        for number, folder in enumerate(folders, 1):
            store = run / "outside" / str(number)
            if run.resolve().is_relative_to(folder.resolve()):
                other = _elsewhere(folder)
                if other is not None:
                    stack.callback(_remove, other)
                pairs.append((str(folder), "" if other is None else str(other)))
                continue
            pairs.append((str(folder), str(store)))
        yield pairs


def _elsewhere(folder: Path) -> Path | None:
    """A new folder that is not below `folder`; None where there is no place for one."""
    for place in (tempfile.gettempdir(), *_OTHERS, str(Path.home())):
        root = Path(place)
        if root.is_dir() and os.access(root, os.W_OK) and not root.resolve().is_relative_to(folder.resolve()):
            return Path(tempfile.mkdtemp(prefix="xladoctor-", dir=root))
    return None


def _is_program(path: Path) -> bool:
    return path.is_file() and (path.suffix == ".py" or os.access(path, os.X_OK))


def _existing(path: Path) -> Path:
    return next(p for p in (path, *path.parents) if p.is_dir())


def _below(path: Path, folders: Iterable[str]) -> bool:
    return any(path.is_relative_to(f) for f in folders)


def _remove(folder: Path) -> None:
    # The kernel leaves an empty folder behind that nobody may enter.
    for path in folder.glob("work/work"):
        with contextlib.suppress(OSError):
            path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
