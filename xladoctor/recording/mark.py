"""Whose run folder is it? A mark that only this user, on this machine, could have made.

A run folder says which interpreter to start for its capsules. One from a stranger could name any program, so that only
a marked folder is believed. `marks.json` lists every file of the folder with its digest, and has an HMAC of that list
with a key that stays in the user's home: a digest alone could be worked out again by whoever changed a file.

A reader compares the digest of the bytes that it read with the list, never a file that it would open once more. So a
plain `scan` hashes what it reads anyway (`run.json`, events, answers), and a capsule of gigabytes is hashed only where
it is about to be loaded. What the doctor adds later is put on the list when it was written; a file that is on the
list stays there with the digest that it had, so that a change is never signed along.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from xladoctor.recording import copies, files
from xladoctor.recording.schema import schema

FILE = "marks.json"
SCHEMA = "xladoctor.marks/1"
_MOST_FILES = 100_000


def make(told: Any) -> str | None:
    """The mark of something that JSON can hold; None where no key can be kept."""
    key = _key(create=True)
    return None if key is None else _mark(key, told)


def holds(mark: Any, told: Any) -> bool:
    """Whether the mark is this user's, and of this."""
    key = _key(create=False)
    return key is not None and isinstance(mark, str) and hmac.compare_digest(mark, _mark(key, told))


def sign(folder: Path) -> None:
    """Mark a run folder that we have just made, with every file that is in it."""
    _write(folder, {}, _below(folder))


def sign_more(folder: Path, *added: str) -> None:
    """Put files (or folders of them) that the doctor has just written on the list of a run folder.

    Nothing but them: what somebody else laid into the folder is not signed along. A folder that is not marked stays so,
    and a file that is on the list keeps the digest that it had.
    """
    known = listed(folder)
    if known is not None:
        names = (name for one in added for name in (_below(folder, one) if files.is_folder(folder, one) else [one]))
        _write(folder, known, (name for name in names if name not in known))


def _write(folder: Path, known: Mapping[str, str], names: Iterable[str]) -> None:
    digests = dict(known)
    for name in names:
        if len(digests) < _MOST_FILES:
            with contextlib.suppress(OSError, files.Unusable):
                digests[name] = digest(folder, name)
    table = {"schema": SCHEMA, "files": digests}
    marked = {**table, "mark": make(table)}
    if marked["mark"] is not None:
        with contextlib.suppress(OSError, files.Unusable):
            files.replace(folder, FILE, (json.dumps(marked, indent=1) + "\n").encode())


def listed(folder: Path) -> dict[str, str] | None:
    """{file: digest} of a folder that this user marked; None of any other."""
    try:
        table = files.read_table(folder, FILE)
    except (OSError, files.Unusable):
        return None
    mark = table.pop("mark", None)
    if table.get("schema") != SCHEMA or not isinstance(table.get("files"), dict) or not holds(mark, table):
        return None
    return {str(name): str(made) for name, made in table["files"].items()}


def digest(folder: Path, name: str) -> str:
    """The SHA-256 of a file.

    Raises:
        OSError, Unusable: it cannot be read.
    """
    with files.opened(folder, name) as stream:
        made = hashlib.sha256()
        while chunk := stream.read(1 << 20):
            made.update(chunk)
        return made.hexdigest()


CAPSULE_FILES = (
    *("capsule.json", "graph.pb.gz", "sources.json.gz", "recipe.json", "values.npz"),
    schema.SAMPLE,
    *map(schema.later_file, schema.LATER_CALLS),
)
"""What a worker reads of a capsule, in the order in which a seal has it (`probes/graph/files.py`)."""


def seal(run: Path, capsule: str, known: Mapping[str, str]) -> str | None:
    """What a worker must find a capsule of a run to be: the SHA-256 over a line for each file with its digest. None
    where a file is not on the list of the run, or is not what it was.
    """
    lines = []
    for name in CAPSULE_FILES:
        inside = f"capsules/{capsule}/{name}"
        try:
            made = digest(run, inside)
        except FileNotFoundError:
            continue
        except (OSError, files.Unusable):
            return None
        if known.get(inside) != made:
            return None
        lines.append(f"{name}:{made}\n")
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _below(folder: Path, start: str = "") -> Iterator[str]:
    """Every file below a folder; links are not followed."""
    waiting = [start]
    while waiting:
        below = waiting.pop()
        for name in files.names(folder, below):
            inner = f"{below}/{name}" if below else name
            if not files.is_folder(folder, inner):
                if inner != FILE:
                    yield inner
            # What a rehearsal worked on is a copy of the user's own folder, and nothing of it is read.
            elif name not in copies.ALL or not files.is_file(folder, f"{below}/run.json".lstrip("/")):
                waiting.append(inner)


def _mark(key: bytes, told: Any) -> str:
    return hmac.new(key, json.dumps(told, sort_keys=True).encode(), hashlib.sha256).hexdigest()


def _key(create: bool, environment: Mapping[str, str] = os.environ) -> bytes | None:
    state = environment.get("XDG_STATE_HOME")
    file = (Path(state) if state else Path.home() / ".local" / "state") / "xladoctor" / "key"
    with contextlib.suppress(OSError):
        if create and not file.exists():
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Of two that make it at once the second keeps what the first wrote.
            with contextlib.suppress(FileExistsError):
                descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with os.fdopen(descriptor, "wb") as stream:
                    stream.write(os.urandom(32))
        key = file.read_bytes()
        return key if len(key) == 32 else None
    return None
