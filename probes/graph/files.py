"""How the files of a capsule are read: a stranger may have made any of them.

Regular files only, none through a symbolic link, each once and up to a size. Where the doctor gives a `seal`, the bytes
that were read must be those that it stands for: the user's own, as they were recorded.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import zlib
from pathlib import Path
from typing import Any

from .. import schema
from .errors import BadCapsule

NAMES = (
    *("capsule.json", "graph.pb.gz", "sources.json.gz", "recipe.json", "values.npz"),
    schema.SAMPLE,
    *map(schema.later_file, schema.LATER_CALLS),
)
"""Everything that is read of a capsule, in the order in which a seal has it."""
LARGEST = 2 << 30
LARGEST_SOURCES = 128 << 20
_MOST_VALUES = 8000000
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)


def read_all(folder: Path) -> dict[str, bytes]:
    """{name: content} of the files of a capsule that are there."""
    found = {}
    for name in NAMES:
        data = _read(folder / name)
        if data is not None:
            found[name] = data
    return found


def seal_of(contents: dict[str, bytes]) -> str:
    """What stands for these contents: the SHA-256 of a line for each file, with its own SHA-256."""
    lines = [f"{name}:{hashlib.sha256(contents[name]).hexdigest()}\n" for name in NAMES if name in contents]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def table(file: Path, text: bytes) -> dict[str, Any]:
    """The JSON object that a text holds."""
    if len(text) > LARGEST_SOURCES or text.count(b",") + text.count(b"[") + text.count(b"{") > _MOST_VALUES:
        raise BadCapsule(f"{file}: it is too large")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadCapsule(f"{file}: {error}") from error
    if not isinstance(found, dict):
        raise BadCapsule(f"{file}: not a JSON object")
    return found


def unpacked(file: Path, data: bytes, largest: int = LARGEST) -> bytes:
    """What gzip data unpack to."""
    inflate = zlib.decompressobj(31)
    try:
        found = inflate.decompress(data, largest)
    except zlib.error as error:
        raise BadCapsule(f"{file}: {error}") from error
    if not inflate.eof:
        why = "it unpacks to too much" if inflate.unconsumed_tail else "its compressed data end too early"
        raise BadCapsule(f"{file}: {why}")
    return found


def _read(file: Path) -> bytes | None:
    try:
        descriptor = os.open(file, _FLAGS)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadCapsule(f"{file}: {error.strerror or error} (links are not followed)") from error
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise BadCapsule(f"{file}: it is no regular file")
        try:
            data = stream.read(LARGEST + 1)
        except OSError as error:
            raise BadCapsule(f"{file}: {error}") from error
    if len(data) > LARGEST:
        raise BadCapsule(f"{file}: it is larger than {LARGEST >> 30} GiB")
    return data
