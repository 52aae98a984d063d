"""After a run that ended well: do rows meet only rows that they belong to?

A worker looks at the steps of Keras and at the program's own `tf.function`s, on made-up batches: no value of the run is
needed, since which row an element depends on hardly hangs on values. A question that could not be put is an answer too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from xladoctor.diagnosis.rows import REQUEST, Asked, to_ask
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.recording.run import Recording

if TYPE_CHECKING:
    from xladoctor.workers.worker import Worker

__all__ = ["MAX_FUNCTIONS", "Asked", "answers", "to_check"]

MAX_FUNCTIONS = 10
_START = 120.0
"""TensorFlow may take this long to be imported; the budget is for the checks alone."""


def to_check(recording: Recording) -> list[Asked]:
    """The functions to be asked about, in a run that ended well, or by a check of the program's own."""
    return to_ask(recording) if survived(recording) or ended_itself(recording) else []


def answers(
    worker: Worker,
    recording: Recording,
    asked: list[Asked],
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[dict[str, Any]]:
    """An answer for each function, as `worker.jsonl` keeps it."""
    from xladoctor.workers.worker import WorkerError, WorkerTimeout

    why = None
    try:
        worker.request("hello", timeout=_START, tensorflow=True)
    except WorkerError as error:
        why = f"the worker did not start: {error}"
    until = clock() + seconds
    for number, one in enumerate(asked):
        left = until - clock()
        if number >= MAX_FUNCTIONS:
            why = why or f"{MAX_FUNCTIONS} functions were checked, and no more are"
        elif left <= 0:
            why = why or f"the time for checks ({seconds:g} s, --check-budget) was over"
        result: Any = {"result": "not-checked", "why": why}
        if why is None:
            folder = str(recording.folder / "capsules" / one.capsule)
            try:
                asked_of = {"sizes": list(one.sizes), "by_row": one.by_row}
                result = worker.request(REQUEST, timeout=left, capsule=folder, **asked_of)
            except WorkerTimeout:
                result["why"] = f"the time for checks ({seconds:g} s, --check-budget) was over"
            except WorkerError as error:
                result["why"] = str(error)
        yield {"capsule": one.capsule, "request": REQUEST, "result": result}
