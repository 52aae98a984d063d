"""An error as a worker tells it -> `Signature`, by the same rules by which `scan` reads a log."""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from xladoctor.replay.model import Signature

if TYPE_CHECKING:
    from xladoctor.diagnosis.model import Finding

UNKNOWN = "unknown"


def signature(kind: str | None, message: str, op: str | None = None) -> Signature:
    """What kind of failure an exception is. `op` is the op that failed, where a worker found it."""
    found = finding(kind, message)
    if found is None:
        return Signature(UNKNOWN, op)
    return Signature(found.slug, op or found.op, axes(found.details))


def finding(kind: str | None, message: str) -> Finding | None:
    """The root of what `scan` would find in a log with this exception; None where no rule knows it."""
    return _read(kind or "Exception", message)


@lru_cache(maxsize=256)
def _read(kind: str, message: str) -> Finding | None:
    from xladoctor.evidence.log import read_log
    from xladoctor.evidence.model import Evidence
    from xladoctor.rules import findings

    text = f"Traceback (most recent call last):\n{kind}: {message}\n"
    log = read_log([io.BytesIO(text.encode("utf-8", "replace"))], name="worker")
    found = findings(Evidence(source="worker", log=log))
    return found[0] if found else None


def axes(details: Mapping[str, Any]) -> tuple[int, ...]:
    """The axes in which the two shapes of a message differ; () where it does not name two of one rank."""
    pair = details.get("shapes")
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        return ()
    a, b = pair
    if not isinstance(a, list | tuple) or not isinstance(b, list | tuple) or len(a) != len(b):
        return ()
    return tuple(i for i, (m, n) in enumerate(zip(a, b, strict=True)) if m != n)
