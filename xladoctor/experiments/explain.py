"""After a run that ended well: do offsets, shifts and positions explain the data as they are, or turned?"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from xladoctor import protocol
from xladoctor.diagnosis.explained import REQUEST, to_ask
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.experiments.budget import Budget
from xladoctor.model.answers import WorkerAnswer
from xladoctor.recording.run import Recording

if TYPE_CHECKING:
    from xladoctor.workers.worker import Worker

__all__ = ["answers", "to_explain"]

_MOST = 1
"""The first step that was traced is that of the training."""


def to_explain(recording: Recording) -> list[str]:
    """The capsules with a sample, in a run that ended well."""
    return to_ask(recording) if survived(recording) or ended_itself(recording) else []


def answers(
    worker: Worker,
    recording: Recording,
    capsules: Sequence[str],
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[WorkerAnswer]:
    """An answer for each capsule, as `worker.jsonl` keeps it."""

    def ask(capsule: str, left: float) -> protocol.answers.Explained:
        folder = str(recording.folder / "capsules" / capsule)
        return worker.ask(protocol.requests.ExplainData(capsule=folder, seconds=left), timeout=left)

    for capsule, found, why in Budget(worker, seconds, clock).each(capsules[:_MOST], ask, _MOST):
        result = protocol.codec.to_json(found or protocol.answers.Explained("not-checked", why))
        yield WorkerAnswer(capsule, REQUEST, result)
