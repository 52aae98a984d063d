"""The one way in which files of a run folder are read: a stranger may have made any of them.

Every part of a name is opened relative to the folder before it, and never through a symbolic link, so that nothing
outside of the folder is read or written. Only regular files are read, each up to a size; compressed data up to a size
when unpacked; JSON up to a depth and a number of values. What breaks a bound is `Unusable`, one sentence and exit 2.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import stat
import zlib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import IO, Any

from xladoctor.errors import XladoctorError
from xladoctor.recording.schema import schema

LARGEST = 64 << 20
"""Bytes of one file, or of what it unpacks to, where nothing else is said."""
MOST_VALUES = 4_000_000
"""Values of one JSON text: what holds more takes gigabytes as Python objects."""
DEEPEST = 64
"""Levels of nesting of JSON: what we write has at most a dozen."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# A pipe that nobody writes to must not be waited for.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# More digits than a whole number of 64 bits has.
_HUGE = re.compile(rb"\d{19}")
_SURROGATE = re.compile(rb"\\u[dD][89abABcdefCDEF]")
_LONE = re.compile("[\ud800-\udfff]")
# Python keeps bytes of a file name that are no text as U+DC80 to U+DCFF; any other half of a character is in no name.
_NO_NAME = re.compile("[\ud800-\udc7f\udd00-\udfff]")


class Unusable(XladoctorError):
    """A file that is there and must not, or cannot, be used. `message` names it and says why."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name} {why}")


def opened(folder: Path, name: str, follow: bool = False) -> IO[bytes]:
    """A regular file of a folder, open for reading. `folder` itself may be reached through links, nothing below it;
    with `follow` (for what is the user's own), the file too.

    Raises:
        FileNotFoundError: there is none.
        Unusable: it is something else, or cannot be opened.
    """
    return os.fdopen(_descriptor(folder, name, follow), "rb")


def read(folder: Path, name: str, largest: int = LARGEST, follow: bool = False) -> bytes:
    """The content of a file.

    Raises:
        FileNotFoundError, Unusable: as `opened`; or it is larger than that.
    """
    with opened(folder, name, follow) as stream:
        try:
            data = stream.read(largest + 1)
        except OSError as error:
            raise Unusable(name, f"cannot be read: {error.strerror or error}") from error
    if len(data) > largest:
        raise Unusable(name, f"is larger than {_size(largest)}, which is more than is read")
    return data


def read_table(folder: Path, name: str) -> dict[str, Any]:
    """The JSON object in a file.

    Raises:
        FileNotFoundError, Unusable: as `read`; or it holds none.
    """
    try:
        value = parsed(read(folder, name))
    except ValueError as error:
        raise Unusable(name, f"cannot be read: {error}") from error
    if not isinstance(value, dict):
        raise Unusable(name, "holds no JSON object")
    return value


def parsed(data: bytes, values: int = MOST_VALUES) -> Any:
    """What a JSON text says; within our bounds, and without halves of characters that no file or terminal takes.

    Raises:
        ValueError: it is no JSON in UTF-8, nested too deeply, or has too many values.
    """
    opening = data.count(b"[") + data.count(b"{")
    if opening + data.count(b",") > values:
        raise ValueError(f"it holds more than {values:,} values")
    text = data.decode("utf-8")
    try:
        # Numbers beyond 64 bits are no number that anybody counted; as floats they cannot grow without bound.
        value = json.loads(text, parse_int=_whole) if _HUGE.search(data) else json.loads(text)
    except RecursionError:
        raise ValueError(f"it is nested more than {DEEPEST} levels deep") from None
    if opening > DEEPEST and _is_deep(value):
        raise ValueError(f"it is nested more than {DEEPEST} levels deep")
    return _whole_text(value) if _SURROGATE.search(data) else value


def unpacked(data: bytes, largest: int = LARGEST) -> bytes:
    """What gzip data unpack to.

    Raises:
        ValueError: they are damaged, or unpack to more than `largest` bytes.
    """
    parts: list[bytes] = []
    size = 0
    while data:
        inflate = zlib.decompressobj(31)
        try:
            part = inflate.decompress(data, largest + 1 - size)
        except zlib.error as error:
            raise ValueError(f"its compressed data are damaged: {error}") from error
        size += len(part)
        if size > largest:
            raise ValueError(f"it unpacks to more than {_size(largest)}")
        if not inflate.eof:
            raise ValueError("its compressed data end too early")
        parts.append(part)
        data = inflate.unused_data
    return b"".join(parts)


def is_file(folder: Path, name: str) -> bool:
    """Whether there is a regular file of that name, reached through no link."""
    try:
        os.close(_descriptor(folder, name))
    except (OSError, Unusable):
        return False
    return True


def is_folder(folder: Path, name: str) -> bool:
    """Whether there is a folder of that name, reached through no link."""
    try:
        with _walked(folder, name):
            return True
    except (OSError, Unusable):
        return False


def is_run_folder(folder: Path) -> bool:
    """Whether a recording lies there, if only half of one."""
    return is_file(folder, "run.json") or bool(names(folder, like=schema.EVENTS_GLOB))


def names(folder: Path, below: str = "", like: str = "*") -> list[str]:
    """The names in a folder (in `below` of it), sorted; none where it is no folder or lies behind a link."""
    try:
        with _walked(folder, below) as descriptor:
            listed = os.listdir(descriptor)  # noqa: PTH208 - of a descriptor
            return sorted(name for name in listed if fnmatchcase(name, like))
    except (OSError, Unusable):
        return []


def changed(folder: Path, name: str) -> float:
    """When a file was last written to; 0.0 where it is none."""
    try:
        with opened(folder, name) as stream:
            return os.fstat(stream.fileno()).st_mtime
    except (OSError, Unusable):
        return 0.0


def create(folder: Path, name: str) -> IO[bytes]:
    """A new file in a folder, open for writing.

    Raises:
        FileExistsError: there is something of that name, be it a link.
        Unusable: a part of the way is a link, or no folder.
    """
    above, last = _split(name)
    with _walked(folder, above) as descriptor:
        return os.fdopen(os.open(last, _NEW, 0o600, dir_fd=descriptor), "wb")


def make_folder(folder: Path, name: str, new: bool = True) -> None:
    """Make a folder in a folder; unless `new`, one that is there already will do.

    Raises:
        FileExistsError: there is something of that name.
        Unusable: a part of the way is a link, or no folder.
    """
    above, last = _split(name)
    with _walked(folder, above) as descriptor:
        try:
            os.mkdir(last, 0o700, dir_fd=descriptor)
        except FileExistsError:
            if new:
                raise
    with _walked(folder, name):
        return


def replace(folder: Path, name: str, data: bytes) -> None:
    """Write a file whole or not at all, in the place of one that may be there (a link is replaced, not followed).

    Raises:
        OSError, Unusable: it cannot be written.
    """
    above, last = _split(name)
    with _walked(folder, above) as descriptor:
        part = f".{last}.{os.urandom(4).hex()}"
        with os.fdopen(os.open(part, _NEW, 0o600, dir_fd=descriptor), "wb") as stream:
            stream.write(data)
        os.replace(part, last, src_dir_fd=descriptor, dst_dir_fd=descriptor)


def _descriptor(folder: Path, name: str, follow: bool = False) -> int:
    above, last = _split(name)
    with _walked(folder, above) as descriptor:
        try:
            file = os.open(last, _FILE & ~os.O_NOFOLLOW if follow else _FILE, dir_fd=descriptor)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise _refusal(name, last, descriptor, error) from error
        if not stat.S_ISREG(os.fstat(file).st_mode):
            os.close(file)
            raise Unusable(name, "is no regular file, and is not read")
        return file


@contextlib.contextmanager
def _walked(folder: Path, below: str) -> Iterator[int]:
    """The descriptor of a folder below `folder`, each part opened in the one before it and none through a link."""
    descriptor = os.open(folder, _FOLDER)
    try:
        for part in _parts(below):
            try:
                inner = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=descriptor)
            except FileNotFoundError:
                raise
            except OSError as error:
                raise _refusal(below, part, descriptor, error) from error
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def _refusal(name: str, part: str, descriptor: int, error: OSError) -> Unusable:
    """Why something could not be opened: links are told apart, whichever number the system gives for them."""
    if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
        with contextlib.suppress(OSError):
            if stat.S_ISLNK(os.stat(part, dir_fd=descriptor, follow_symlinks=False).st_mode):
                return Unusable(name, "is, or lies behind, a symbolic link, which is not followed")
    if error.errno == errno.ENXIO:
        return Unusable(name, "is no regular file, and is not read")
    return Unusable(name, f"cannot be opened: {error.strerror or error}")


def _split(name: str) -> tuple[str, str]:
    parts = _parts(name)
    if not parts:
        raise Unusable(repr(name), "is no name of a file")
    return "/".join(parts[:-1]), parts[-1]


def _parts(name: str) -> list[str]:
    """The parts of a name inside a folder; none of them leads out of it."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\0" in name or _NO_NAME.search(name):
        raise Unusable(repr(name), "is no name of a file inside the folder")
    return list(path.parts)


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) < 19 else float(digits)


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        items = (item for outer in level for item in (outer.values() if isinstance(outer, dict) else outer))
        level = [item for item in items if isinstance(item, dict | list)]
        if not level:
            return False
    return True


def _whole_text(value: Any) -> Any:
    """The value with every half of a character replaced, in keys too."""
    if isinstance(value, str):
        return _LONE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_LONE.sub("\ufffd", key): _whole_text(item) for key, item in value.items()}
    return [_whole_text(item) for item in value] if isinstance(value, list) else value


def _size(count: int) -> str:
    return f"{count >> 20} MiB" if count >= 1 << 20 else f"{count} bytes"


def no_link(name: str, flags: int) -> int:
    """An opener of `open` for a file of ours: never through a symbolic link, and for nobody else to read."""
    return os.open(name, flags | os.O_NOFOLLOW, 0o600)
