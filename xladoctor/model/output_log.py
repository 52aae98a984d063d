"""The log of an output of the target, as `run.json` describes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class OutputLog:
    """One output of the target, and its log.

    Attributes:
        streams: "stdout", "stderr", or both if the caller sent them to one place.
        kind: pipe, terminal, file, direct (a device), or closed.
        log: the log's name in the run folder; None if there is none.
        size: how many bytes the target wrote; None if unknown.
        kept: how many of them the log has.
        lost: why the log ended early, or None.
    """

    streams: tuple[str, ...]
    kind: str
    log: str | None
    size: int | None
    kept: int
    lost: str | None = None

    @property
    def dropped(self) -> int:
        """Bytes of the output that no log has."""
        return max(0, (self.size or 0) - self.kept)


def output_logs(value: Any) -> tuple[OutputLog, ...]:
    """From the list in `run.json`; invalid entries are left out."""
    logs = [_log(entry) for entry in value[:2]] if isinstance(value, list) else []
    return tuple(log for log in logs if log is not None)


def output_notes(logs: Sequence[OutputLog]) -> Iterator[str]:
    """Notes for the reader about output that is not in the logs."""
    for log in logs:
        streams = " and ".join(log.streams)
        if log.kind == "direct":
            yield f"{streams} went to a device and was not recorded"
        elif log.lost is not None and log.dropped:
            yield f"{log.log} lacks {log.dropped:,} of the {log.size:,} bytes of {streams}: {log.lost}"
        elif log.lost is not None:
            yield f"{log.log} may lack output of {streams}: {log.lost}"
        elif log.dropped:
            yield (
                f"{log.log} has the beginning and the end of {streams}: {log.dropped:,} bytes between them "
                "were dropped (--max-size)"
            )


def _log(entry: Any) -> OutputLog | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("streams"), list):
        return None
    log, size, kept, lost = (entry.get(name) for name in ("log", "size", "kept", "lost"))
    return OutputLog(
        tuple(str(s) for s in entry["streams"][:2]),
        str(entry.get("kind")),
        log if isinstance(log, str) else None,
        size if isinstance(size, int) else None,
        kept if isinstance(kept, int) else 0,
        lost if isinstance(lost, str) else None,
    )
