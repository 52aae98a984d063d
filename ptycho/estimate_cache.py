"""First estimates on disk, by content: the next run with the same data, probe and settings reads them.

A file holds a header of three lines (kind, key, digest of the rest) and the bytes of one complex64 array. It appears
completely or not at all. An invalid file is ignored, with a line on standard error. The folder stays below
`LARGEST_FOLDER` bytes: the least recently used files are removed first.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

#: names the folder, or switches the cache off ("off")
ENVIRONMENT = "PTYCHO_CACHE"
LARGEST_FOLDER = 1 << 30
_KIND = b"ptycho first estimate 1\n"
_ENDING = ".estimate"
_HOUR = 3600.0


def folder() -> Path | None:
    """Where estimates are kept: PTYCHO_CACHE, or the user's folder for caches. None if it is switched off."""
    named = os.environ.get(ENVIRONMENT, "").strip()
    if named.lower() in ("off", "0", "no", "false"):
        return None
    if named:
        return Path(named)
    base = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", "").strip()
    try:
        return (Path(base) if base else Path.home() / ".cache") / "ptycho"
    except RuntimeError:  # no home
        return None


def key(settings: Sequence[object], arrays: Sequence[np.ndarray]) -> str:
    """A name for what an estimate depends on: all its settings, and all arrays with their shapes and types."""
    digest = hashlib.blake2b(repr(tuple(settings)).encode(), digest_size=16)
    for array in arrays:
        digest.update(f"{array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def read(name: str, shape: tuple[int, ...]) -> np.ndarray | None:
    """The array of that key, complex64 of that shape; None if there is none that can be trusted."""
    where = folder()
    if where is None:
        return None
    path = where / f"{name}{_ENDING}"
    size = len(_header(name, b"")) + 8 * int(np.prod(shape))
    try:
        if path.stat().st_size != size:
            _say(f"{path} is not {size} bytes long; the first estimate is made anew")
            return None
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        _say(f"the first estimate is made anew: {error}")
        return None
    values = memoryview(content)[size - 8 * int(np.prod(shape)) :]
    if content[: -len(values)] != _header(name, values):
        _say(f"{path} is damaged, or not of this program; the first estimate is made anew")
        return None
    with contextlib.suppress(OSError):
        os.utime(path)
    return np.frombuffer(values, np.complex64).reshape(shape)


def write(name: str, array: np.ndarray) -> None:
    """Keep a complex64 array under its key. If that is impossible, a line on standard error says so."""
    where = folder()
    values = np.ascontiguousarray(array, np.complex64)
    if where is None or values.nbytes > LARGEST_FOLDER // 2:
        return
    try:
        where.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.NamedTemporaryFile(dir=where, suffix=".partial", delete=False) as file:
            partial = Path(file.name)
            try:
                file.write(_header(name, values.data))
                file.write(values.data)
            except BaseException:
                file.close()
                partial.unlink()
                raise
        partial.replace(where / f"{name}{_ENDING}")
        _shrink(where)
    except OSError as error:
        _say(f"the first estimate was not kept: {error}")


def _header(name: str, values: bytes | memoryview) -> bytes:
    return _KIND + f"{name}\n{hashlib.blake2b(values, digest_size=16).hexdigest()}\n".encode()


def _shrink(where: Path) -> None:
    """Remove what was used longest ago until the folder is small enough, and what a killed run left half written."""
    known = []
    for path in where.iterdir():
        with contextlib.suppress(OSError):  # another run has removed it
            state = path.stat()
            if path.suffix == _ENDING:
                known.append((state.st_mtime, state.st_size, path))
            elif path.suffix == ".partial" and time.time() - state.st_mtime > _HOUR:
                path.unlink()
    total = sum(size for _, size, _ in known)
    for _, size, path in sorted(known):
        if total <= LARGEST_FOLDER:
            break
        with contextlib.suppress(OSError):
            path.unlink()
        total -= size


def _say(text: str) -> None:
    print(f"ptycho: {text}", file=sys.stderr, flush=True)
