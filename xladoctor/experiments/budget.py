"""Questions to one worker about several subjects, as many as the time allows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from xladoctor import protocol

if TYPE_CHECKING:
    from xladoctor.workers.worker import Worker

S = TypeVar("S")
T = TypeVar("T")

START = 120.0
"""TensorFlow may take this long to be imported; a budget is for the questions alone."""


class Budget:
    """So many seconds of a worker, which begin once it has started."""

    def __init__(self, worker: Worker, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._why = _not_started(worker)
        self._until = clock() + seconds

    @property
    def left(self) -> float:
        """The seconds that are left, 0 or less where the time is over."""
        return self._until - self._clock()

    def each(
        self, subjects: Sequence[S], ask: Callable[[S, float], T], most: int
    ) -> Iterator[tuple[S, T | None, str | None]]:
        """(subject, its answer, why there is none) of all of them; `ask` gets a subject and the seconds that are left.

        At most so many are asked about. Those that could not be have the reason: a run of which nothing was checked
        must not look like one of which all was.
        """
        why = self._why
        for number, subject in enumerate(subjects):
            left = self.left
            if number >= most:
                why = why or f"{most} functions were checked, which is the limit"
            elif left <= 0:
                why = why or self._over
            if why is not None:
                yield subject, None, why
            else:
                yield subject, *self._asked(subject, ask, left)

    def _asked(self, subject: S, ask: Callable[[S, float], T], left: float) -> tuple[T | None, str | None]:
        from xladoctor.workers.worker import WorkerError, WorkerTimeout

        try:
            return ask(subject, left), None
        except WorkerTimeout:
            return None, self._over
        except WorkerError as error:
            return None, str(error)

    @property
    def _over(self) -> str:
        return f"the time for checks ({self._seconds:g} s, --check-budget) was over"


def _not_started(worker: Worker) -> str | None:
    """Why a worker does not start; None where it does."""
    from xladoctor.workers.worker import WorkerError

    try:
        worker.ask(protocol.requests.Hello(tensorflow=True), timeout=START)
    except WorkerError as error:
        return f"the worker did not start: {error}"
    return None
