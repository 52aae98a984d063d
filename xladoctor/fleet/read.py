"""What one process does with a batch of runs: read each, diagnose it, and keep what its root cause quotes."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from xladoctor.errors import XladoctorError
from xladoctor.fleet import origin
from xladoctor.fleet.store import Row, name_of
from xladoctor.model.diagnosis import Diagnosis
from xladoctor.model.survey import Run, Target
from xladoctor.survey import same
from xladoctor.survey.collect import one

WHOLE = 8_000_000
"""A larger log has no digest: to read it twice would cost more than to diagnose it again."""
LAG = 2.0
"""A file that was written less than so many seconds ago can change without a new time (as git has it): its digest is
compared next time."""
_QUOTED = 4000
_GONE = (errno.ENOENT, errno.ESTALE)


class Work(NamedTuple):
    """A run to read, with the stamp that it had, and the digest of what is known of it, if that is current."""

    target: Target
    stamp: str
    digest: bytes | None


def rules() -> str:
    """A digest of what answers depend on besides the log: this doctor's sources, and the plug-ins."""
    import xladoctor
    from xladoctor.rules import plugins

    here = Path(xladoctor.__file__).parent
    mixed = hashlib.blake2b(xladoctor.__version__.encode(), digest_size=8)
    for room in ("logs", "rules", "diagnosis", "survey", "fleet", "model"):
        for file in sorted((here / room).rglob("*.py")):
            mixed.update(file.read_bytes())
    mixed.update("\n".join(sorted(rule.code for rule in plugins.rules())).encode("utf-8", "replace"))
    return mixed.hexdigest()


def stamp_of(target: Target) -> tuple[str, float]:
    """Sizes and times of the files of a run, and when the last of them was written.

    Raises:
        OSError: one of them cannot be looked at.
    """
    if target.kind == "run":
        folder = target.paths[0]
        with os.scandir(folder) as entries:
            found = sorted((e.name, e.stat(follow_symlinks=False)) for e in entries if e.is_file(follow_symlinks=False))
        stats = [stat for _, stat in found]
        text = hashlib.blake2b(
            "".join(f"{name}:{stat.st_size}:{stat.st_mtime_ns};" for name, stat in found).encode("utf-8", "replace"),
            digest_size=16,
        ).hexdigest()
    else:
        stats = [os.stat(path) for path in target.paths]  # noqa: PTH116 - a Path costs more than the call
        text = ";".join(f"{stat.st_size}:{stat.st_mtime_ns}" for stat in stats)
    return text, max((stat.st_mtime for stat in stats), default=0.0)


@cache
def warm_up() -> None:
    """Load what every log needs, once, before the processes are forked: rules, patterns, the fragments of messages."""
    import gc

    from xladoctor.rules import all_rules
    from xladoctor.saved import scan_text

    all_rules()
    scan_text(
        "Traceback (most recent call last):\n" + '  File "a.py", line 1, in <module>\n    f()\n' + "ValueError: x\n"
    )
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def read_batch(batch: Sequence[Work]) -> list[Row]:
    """A row for each run. Nothing that is in a log, and no log that cannot be read, ends the batch."""
    return [_read(work) for work in batch]


def _read(work: Work) -> Row:
    target = work.target
    name = name_of(target.paths)
    try:
        stamp, written = stamp_of(target)
        ends, digest = _contents(target)
        if digest is not None and digest == work.digest:
            return Row(name, target.kind, stamp, digest, _settled(written), written, same=True)
        found = one(target, 1)
    except (OSError, XladoctorError) as error:
        said = error.strerror if isinstance(error, OSError) else str(error)
        problem = f"{target.name}: {(said or '?').lower()}"
        gone = isinstance(error, OSError) and error.errno in _GONE
        return Row(name, target.kind, work.stamp, None, False, None, problem=problem, gone=gone)
    except Exception as error:  # of 100,000 logs the one that breaks the doctor must not end it
        problem = f"{target.name}: the doctor failed on it ({type(error).__name__}); please report it"
        return Row(name, target.kind, work.stamp, None, False, None, problem=problem)
    if isinstance(found, str):
        return Row(name, target.kind, stamp, None, False, written, problem=found)
    return _row(name, found, stamp, digest, written, ends)


def _row(name: bytes, run: Run, stamp: str, digest: bytes | None, written: float, ends: bytes) -> Row:
    target, path = run.target, run.target.paths[0]
    owner = origin.owner(path)
    whose = origin.of_run(path, _facts(path), owner) if target.kind == "run" else origin.of_log(path, ends, owner)
    key, dims, finding = _cause(run.diagnosis)
    ended = run.time if run.time is not None else written
    return Row(
        name, target.kind, stamp, digest, _settled(written), ended, run.diagnosis.verdict,
        whose.user, whose.node, whose.job, whose.program, key, dims, finding,
    )  # fmt: skip


def _settled(written: float) -> bool:
    return abs(time.time() - written) > LAG


def _contents(target: Target) -> tuple[bytes, bytes | None]:
    """The beginning and the end of the first log, and the digest of all; no digest where they are large."""
    if target.kind == "run":
        return b"", None
    mixed = hashlib.blake2b(digest_size=16)
    ends = b""
    for path in target.paths:
        with open(path, "rb", buffering=0) as stream:  # noqa: PTH123 - a Path costs more than the call
            size = os.fstat(stream.fileno()).st_size
            data = stream.read(WHOLE if size <= WHOLE else origin.HEAD)
            if size > WHOLE:
                stream.seek(max(size - origin.TAIL, 0))
                data += b"\n" + stream.read(origin.TAIL)
        ends = ends or data
        mixed.update(b"%d:" % size + data)
        if size > WHOLE:
            return ends, None
    return ends, mixed.digest()


def _facts(folder: str) -> dict[str, object]:
    from xladoctor.recording import files

    try:
        return dict(files.read_table(Path(folder), "run.json"))
    except (OSError, files.Unusable):
        return {}


def _cause(diagnosis: Diagnosis) -> tuple[str | None, same.Dims, str | None]:
    """Key, numbers and what is kept of the root cause."""
    root, kept = diagnosis.root, quoted(diagnosis)
    if root is None or kept is None:
        return None, (), None
    return json.dumps(same.key(root)), same.numbers(root.dims), json.dumps(kept)


def quoted(diagnosis: Diagnosis) -> dict[str, Any] | None:
    """What is kept of the root cause; a note is no cause."""
    root = diagnosis.root
    if root is None or root.level == "note":
        return None
    return {
        "code": root.code,
        "class": root.slug,
        "level": root.level,
        "title": root.title,
        "message": root.message[:_QUOTED],
        "op": root.op,
        "place": str(root.location) if root.location else same.place(root),
        "remedy": next((remedy.title for remedy in root.remedies), None),
        "dims": list(same.numbers(root.dims)),
    }
