"""Everything that a diagnosis rests on: a log, how the process ended, what was recorded of the run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from xladoctor.model.evidence import LogEvidence, ProcessOutcome

if TYPE_CHECKING:
    from xladoctor.recording.run import Recording


@dataclass(frozen=True, eq=False)
class Evidence:
    """All of it. Two are the same only where they are one: what is worked out of one can be remembered with it."""

    source: str
    log: LogEvidence = field(default_factory=LogEvidence)
    process: ProcessOutcome | None = None
    run: Recording | None = None
    notes: tuple[str, ...] = ()
