"""After a run that ended well: do rows meet only rows that they belong to?

A worker looks at the steps of Keras and at the program's own `tf.function`s, on made-up batches: no value of the run is
needed, since which row an element depends on hardly hangs on values. A question that could not be put is an answer too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from xladoctor import protocol
from xladoctor.diagnosis.rows import REQUEST, Asked, to_ask
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.experiments.budget import Budget
from xladoctor.model.answers import WorkerAnswer
from xladoctor.recording.run import Recording

if TYPE_CHECKING:
    from xladoctor.workers.worker import Worker

__all__ = ["MAX_FUNCTIONS", "Asked", "answers", "to_check"]

MAX_FUNCTIONS = 10


def to_check(recording: Recording) -> list[Asked]:
    """The functions to be asked about, in a run that ended well, or by a check of the program's own."""
    return to_ask(recording) if survived(recording) or ended_itself(recording) else []


def answers(
    worker: Worker,
    recording: Recording,
    asked: Sequence[Asked],
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[WorkerAnswer]:
    """An answer for each function, as `worker.jsonl` keeps it."""

    def ask(one: Asked, left: float) -> protocol.answers.Pairing:
        folder = str(recording.folder / "capsules" / one.capsule)
        request = protocol.requests.CheckPairing(capsule=folder, sizes=tuple(one.sizes), by_row=one.by_row)
        return worker.ask(request, timeout=left)

    for one, found, why in Budget(worker, seconds, clock).each(asked, ask, MAX_FUNCTIONS):
        result = protocol.codec.to_json(found or protocol.answers.Pairing("not-checked", why))
        yield WorkerAnswer(one.capsule, REQUEST, result)
