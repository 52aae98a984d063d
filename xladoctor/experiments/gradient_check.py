"""After a run that ended well: are gradients of the program's own those of its functions? A worker takes differences of
the recorded graphs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from xladoctor import protocol
from xladoctor.diagnosis.own_gradients import REQUEST, Asked
from xladoctor.experiments.budget import Budget
from xladoctor.model.answers import WorkerAnswer
from xladoctor.recording.run import Recording

if TYPE_CHECKING:
    from xladoctor.workers.worker import Worker

MAX_FUNCTIONS = 6


def answers(
    worker: Worker,
    recording: Recording,
    asked: Sequence[Asked],
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[WorkerAnswer]:
    """An answer for each capsule, as `worker.jsonl` keeps it."""

    def ask(one: Asked, left: float) -> protocol.answers.OwnGradients:
        folder = str(recording.folder / "capsules" / one.capsule)
        return worker.ask(protocol.requests.CheckOwnGradients(capsule=folder, marks=one.marks), timeout=left)

    for one, found, why in Budget(worker, seconds, clock).each(asked, ask, MAX_FUNCTIONS):
        result = protocol.codec.to_json(found or protocol.answers.OwnGradients("not-checked", why))
        yield WorkerAnswer(one.capsule, REQUEST, result)
