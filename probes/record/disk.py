"""How the recorder writes: by path, for a moment, into files that it made itself.

The target may close every descriptor, put a file of its own on a number of ours, fill the disk, lower its limits, or
delete the run folder. So no descriptor is held between two writes, nothing is created outside the folder that was
given, and nothing is written that the system would answer with a signal. What is used of `os` is bound here at import:
the target may replace it later.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

try:
    from resource import RLIM_INFINITY as _INFINITY
    from resource import RLIMIT_FSIZE as _FSIZE
    from resource import getrlimit as _getrlimit
except ImportError:  # no such limit here
    _getrlimit = None  # type: ignore[assignment]

join, _abspath = os.path.join, os.path.abspath
_open, _write, _close, _lseek, _truncate, _chmod = os.open, os.write, os.close, os.lseek, os.truncate, os.chmod
_stat, _lstat, _mkdir, _rename, _unlink, _rmdir, _scandir = (
    os.stat, os.lstat, os.mkdir, os.replace, os.unlink, os.rmdir, os.scandir,
)  # fmt: skip
_statvfs = getattr(os, "statvfs", None)

# A link or a FIFO that somebody put in the place of a file is not written to, nor waited for.
_APPEND = os.O_WRONLY | os.O_APPEND
for _name in ("O_NOFOLLOW", "O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY", "O_BINARY"):
    _APPEND |= getattr(os, _name, 0)
_CREATE = _APPEND | os.O_CREAT | os.O_EXCL

# A file of this size or more takes at most half of the free space: the target needs the rest for its own.
_LARGE = 1 << 20
_BUFFER = 1 << 20


class NotWritten(Exception):
    """The recorder could not write a file, or must not. `reason` is one of `schema.DROP_REASONS`.

    `missing` is how many bytes would have to go first, where that would help.
    """

    def __init__(self, reason: str, detail: str = "", missing: int = 0) -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason, self.missing = reason, missing


_REASONS = {
    errno.ENOSPC: "disk-full",
    getattr(errno, "EDQUOT", errno.ENOSPC): "disk-full",
    errno.EFBIG: "file-limit",
    errno.ENOENT: "folder-gone",
    errno.ENOTDIR: "folder-gone",
    errno.EACCES: "no-permission",
    errno.EPERM: "no-permission",
    errno.EROFS: "no-permission",
    errno.EMFILE: "no-descriptors",
    errno.ENFILE: "no-descriptors",
}


def reason_of(error: OSError) -> str:
    """Why a write failed, as one word of `schema.DROP_REASONS`."""
    return _REASONS.get(error.errno or 0, "write-failed")


def create(path: str) -> None:
    """Make an empty file that only its owner may read, whatever the umask. Raises OSError."""
    _close(_open(path, _CREATE, 0o600))
    if stat.S_IMODE(_lstat(path).st_mode) != 0o600:
        _chmod(path, 0o600)


def append(path: str, data: bytes) -> None:
    """Add `data` to a file that only this process writes: all of it, or nothing. Raises OSError.

    One open, one write, one close: 2 microseconds on a local disk.
    """
    _check_limit(path, len(data))
    fd = _open(path, _APPEND)
    try:
        written = _write(fd, data)
        if written == len(data):
            return
        begin = _lseek(fd, 0, os.SEEK_CUR) - written
    finally:
        _close(fd)
    try:
        _append_rest(path, data[written:])
    except OSError:
        _truncate(path, begin)  # half a line would be a damaged file
        raise


def _append_rest(path: str, data: bytes) -> None:
    """What a full disk, a limit or a very large write left over; the second try says which it was."""
    while data:
        _check_limit(path, len(data))
        fd = _open(path, _APPEND)
        try:
            written = _write(fd, data)
        finally:
            _close(fd)
        if not written:
            raise OSError(errno.ENOSPC, "nothing was written")
        data = data[written:]


def _check_limit(path: str, more: int) -> None:
    """Raise rather than bring SIGXFSZ: the target may have given that signal its deadly default back."""
    if _getrlimit is None:
        return
    limit = _getrlimit(_FSIZE)[0]
    if limit != _INFINITY and _lstat(path).st_size + more > limit:
        raise OSError(errno.EFBIG, "beyond the limit of the process")


class Folder:
    """The run folder, as long as it is the one that it was when the recorder started."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = _abspath(os.fspath(path))
        self._identity = self._look()
        # A file of ours in it: a new folder may get the number of one that was deleted.
        self.proof: str | None = None

    def _look(self) -> tuple[int, int]:
        status = _stat(self.path)
        return status.st_dev, status.st_ino

    def check(self) -> None:
        """Raise NotWritten if the folder is gone, or if its path now leads elsewhere (`chroot`, a new folder)."""
        try:
            same = self._look() == self._identity
            if self.proof is not None:
                _lstat(self.proof)
        except OSError as error:
            raise NotWritten(reason_of(error), str(error)) from None
        if not same:
            raise NotWritten("folder-gone", f"{self.path} is another folder now")

    def make(self, relative: str) -> None:
        """Make a folder below this one; its parent must be there. Raises FileExistsError and NotWritten."""
        self.check()
        path = join(self.path, relative)
        try:
            _mkdir(path, 0o700)
            if stat.S_IMODE(_lstat(path).st_mode) & 0o700 != 0o700:
                _chmod(path, 0o700)
        except FileExistsError:
            raise
        except OSError as error:
            raise NotWritten(reason_of(error), str(error)) from None

    def free(self) -> int | None:
        """Bytes that are free on this disk for the target, or None where that is not known."""
        try:
            status = _statvfs(self.path) if _statvfs is not None else None
        except OSError:
            return None
        return status.f_bavail * status.f_frsize if status is not None else None

    def leaves_room(self, size: int) -> bool:
        """False where a file of `size` bytes would take more than half of what is free on the disk."""
        free = self.free() if size >= _LARGE else None
        return free is None or size <= free // 2


class Output:
    """A new file that is written by path, a megabyte at a time, and has its name only once it is complete.

    `limit` is how many bytes it may have. It cannot seek, so that a zip file is written front to back.
    """

    def __init__(self, path: str, limit: int | None = None) -> None:
        self._path, self._limit = path, limit
        self._partial = path + ".partial"
        self._size = 0
        self._waiting: list[bytes] = []
        self._waits = 0
        create(self._partial)

    def write(self, data: Any) -> int:
        """Add `data`. Raises OSError, and NotWritten beyond the limit."""
        piece = bytes(data)
        if self._limit is not None and self._size + self._waits + len(piece) > self._limit:
            raise NotWritten("size", f"more than {self._limit} bytes")
        self._waiting.append(piece)
        self._waits += len(piece)
        if self._waits >= _BUFFER:
            self._out()
        return len(piece)

    def flush(self) -> None:
        """Nothing: what is not complete is of no use."""

    def read(self, size: int = -1) -> bytes:
        """Raises: this is only here because NumPy takes for a file what can be read."""
        raise OSError(errno.EBADF, "this file is only written")

    def _out(self) -> None:
        data = b"".join(self._waiting)
        append(self._partial, data)
        self._size += len(data)
        self._waiting, self._waits = [], 0

    def complete(self) -> None:
        """Give the file its name. Raises OSError."""
        if self._waiting:
            self._out()
        _rename(self._partial, self._path)

    def drop(self) -> None:
        """Leave nothing of it."""
        discard(self._partial)


@contextmanager
def new_file(path: str | os.PathLike[str], limit: int | None = None) -> Iterator[Output]:
    """A file that is there only if the block came to its end. Raises NotWritten where the disk fails."""
    output = None
    try:
        output = Output(os.fspath(path), limit)
        yield output
        output.complete()
        output = None
    except OSError as error:
        raise NotWritten(reason_of(error), str(error)) from None
    finally:
        if output is not None:
            output.drop()


def write_file(path: str | os.PathLike[str], data: bytes) -> None:
    """A whole new file. Raises NotWritten."""
    with new_file(path) as file:
        file.write(data)


def discard(path: str | os.PathLike[str]) -> int:
    """Remove a file of ours, or a folder of such files; return its bytes. Never raises."""
    name = os.fspath(path)
    try:
        status = _lstat(name)
        if not stat.S_ISDIR(status.st_mode):
            _unlink(name)
            return status.st_size
        # The file that says that a capsule is complete goes first.
        inside = sorted((entry.name for entry in _scandir(name)), key=lambda n: n != "capsule.json")
        size = sum(discard(join(name, inner)) for inner in inside)
        _rmdir(name)
        return size
    except OSError:
        return 0
