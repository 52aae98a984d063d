"""An error as a worker tells it -> `Signature`, by the same rules by which `scan` reads a log."""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from xladoctor.model.replay import Signature

if TYPE_CHECKING:
    from xladoctor.model.diagnosis import Finding
    from xladoctor.model.evidence import LogEvidence

UNKNOWN = "unknown"
_FRAMES = ("in user code:", "Graph execution error:")
"""What stands before the message itself, and brings frames along."""
_LONGEST = 300


def signature(kind: str | None, message: str, op: str | None = None) -> Signature:
    """What kind of failure an exception is. `op` is the op that failed, where a worker found it."""
    found = finding(kind, message)
    if found is None:
        return Signature(UNKNOWN, op)
    return Signature(found.slug, op or found.op, axes(found.details))


def finding(kind: str | None, message: str) -> Finding | None:
    """The root of what `scan` would find in a log with this exception; None where no rule knows it."""
    return _read(kind or "Exception", message)


def gist(message: str | None) -> str:
    """The first line of what an exception says itself, without what AutoGraph and the runtime put before it."""
    text = (message or "").strip()
    for frame in _FRAMES:
        head, marker, _ = text.partition(frame)
        if marker and "\n" not in head:
            said = _logged("Exception", text[len(head) :]).records
            inner = said[0].text.strip().split("\n")[0] if said else ""
            return f"{head}{inner}"[:_LONGEST] if inner else head.rstrip(": ")
    return text.split("\n")[0][:_LONGEST]


def converted(message: str) -> str | None:
    """`file:line in function` of the innermost user's line that AutoGraph names in a message."""
    records = _logged("Exception", message).records if _FRAMES[0] in message else ()
    user = [f for r in records[:1] for f in r.frames if f.user]
    return f"{user[-1].file}:{user[-1].line} in {user[-1].function}" if user else None


@lru_cache(maxsize=256)
def _read(kind: str, message: str) -> Finding | None:
    from xladoctor.recording.evidence import Evidence
    from xladoctor.rules import findings

    found = findings(Evidence(source="worker", log=_logged(kind, message)))
    return found[0] if found else None


@lru_cache(maxsize=256)
def _logged(kind: str, message: str) -> LogEvidence:
    """The exception as a log has it."""
    from xladoctor.logs import read_log

    text = f"Traceback (most recent call last):\n{kind}: {message}\n"
    return read_log([io.BytesIO(text.encode("utf-8", "replace"))], name="worker")


def axes(details: Mapping[str, Any]) -> tuple[int, ...]:
    """The axes in which the two shapes of a message differ; () where it does not name two of one rank."""
    pair = details.get("shapes")
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        return ()
    a, b = pair
    if not isinstance(a, list | tuple) or not isinstance(b, list | tuple) or len(a) != len(b):
        return ()
    return tuple(i for i, (m, n) in enumerate(zip(a, b, strict=True)) if m != n)
