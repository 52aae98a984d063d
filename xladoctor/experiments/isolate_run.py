"""After a run that failed in a compiled function: which op is it, and where does what it cannot take come from?

Run by itself, within the budget of the checks after a run (`check.budget`): no process is started for it but where a
worker died of the question. What could not be isolated in that time is an answer, too.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from xladoctor.diagnosis.facts import Step, steps
from xladoctor.diagnosis.isolated import CRASHES, REQUEST
from xladoctor.experiments.isolate import isolate
from xladoctor.model.answers import WorkerAnswer
from xladoctor.model.replay import Case, Isolation
from xladoctor.protocol import requests
from xladoctor.recording.run import Recording
from xladoctor.recording.schema import schema
from xladoctor.workers.bench import Answer, Bench
from xladoctor.workers.environment import batch_sizes, worker_environment
from xladoctor.workers.pool import Kind, Pool
from xladoctor.workers.subject import Subject, of_step
from xladoctor.workers.worker import Worker

LEAST = 15.0
"""Seconds: of a run that failed nothing goes on that could be kept waiting."""
_MOST = 2
_FEW = 300
_START = 120.0
"""TensorFlow may take this long to be imported; the budget is for the search alone."""

Clock = Callable[[], float]


class OutOfTime(Exception):
    """The budget is used up."""


def to_isolate(recording: Recording) -> list[Step]:
    """The failed calls of functions that XLA compiled, the one that ended the run first; of a run that a signal ended,
    the function that was traced last.
    """
    outcome = recording.outcome
    if outcome is None or outcome.state not in ("exited", "signalled"):
        return []
    found = [s for s in steps(recording) if s.why == "failed" and _is_whole(s) and s.under_xla]
    if not found and outcome.signal in CRASHES:
        found = _last_traced(recording)
    distinct = {s.capsule: s for s in sorted(found, key=lambda s: s.ended_run)}
    return list(reversed(distinct.values()))[:_MOST]


def answers(
    worker: Worker,
    python: str,
    chosen: list[Step],
    environment: Mapping[str, str],
    seconds: float,
    clock: Clock = time.monotonic,
) -> Iterator[WorkerAnswer]:
    """An answer for each step, as `worker.jsonl` keeps it; all of them within the seconds."""
    from xladoctor.errors import XladoctorError

    until = clock() + seconds
    for step in chosen:
        capsule = str(step.capsule)
        try:
            subject = of_step(capsule, step, python)
        except XladoctorError as error:
            yield WorkerAnswer(capsule, REQUEST, error=str(error))
            continue
        with tempfile.TemporaryDirectory(prefix="xladoctor-isolate-", ignore_cleanup_errors=True) as folder:
            pool = _Lent(worker, Kind(subject.python), worker_environment(environment), Path(folder))
            try:
                bench = _Bounded(subject, Path(folder), pool, until, clock)
                with bench:
                    yield _isolated(bench, step, capsule)
                until = bench.until
            except OutOfTime:
                why = f"the time for it ({seconds:g} s, --check-budget) was over"
                yield WorkerAnswer(capsule, REQUEST, error=why)
            finally:
                pool.close()


def _isolated(bench: _Bounded, step: Step, capsule: str) -> WorkerAnswer:
    for size in batch_sizes(step):
        found = isolate(bench, Case(size))
        if found is not None:
            return WorkerAnswer(capsule, REQUEST, told(found), batch=size)
    return WorkerAnswer(capsule, REQUEST)


def told(found: Isolation) -> dict[str, Any]:
    """An isolation as what JSON can hold."""
    shown = asdict(found)
    if found.signature is not None:
        shown["signature"] = {"class": found.signature.slug, "op": found.signature.op, "axes": found.signature.axes}
    return shown


def _is_whole(step: Step) -> bool:
    return step.capsule is not None and step.recording.capsule(step.capsule).complete


def _last_traced(recording: Recording) -> list[Step]:
    """A call that kills its process leaves no event; the function that was traced last is the likeliest."""
    pid = recording.run.get("pid")
    tops = [t for t in recording.of_kind(schema.TRACE) if t.get("parent") is None and t["pid"] == pid]
    found = [Step(recording, "failed", str(t["capsule"])) for t in tops if t.get("capsule")]
    return [s for s in found[-1:] if _is_whole(s)]


class _Lent(Pool):
    """A pool that begins with a worker which is warm already, and which stays with its owner."""

    def __init__(self, worker: Worker, kind: Kind, environment: Mapping[str, str], folder: Path) -> None:
        super().__init__(2, environment, None, folder)
        self._lent, self._kind = worker, kind

    @contextmanager
    def worker(self, kind: Kind) -> Iterator[Worker]:
        """The lent one for what it can answer, else one of our own."""
        if kind == self._kind:
            yield self._lent
            return
        with super().worker(kind) as own:
            yield own


class _Bounded(Bench):
    """A bench whose questions end with the budget. What it takes to start a process is not counted."""

    def __init__(self, subject: Subject, folder: Path, pool: Pool, until: float, clock: Clock) -> None:
        super().__init__(subject, folder, pool=pool)
        self.until = until
        self._clock = clock
        self._small = False

    def _from_worker(self, request: requests.Request[Any], kind: Kind, timeout: float) -> Answer[Any]:
        kind = Kind(kind.python) if self._small else kind
        began = self._clock()
        warm = super()._from_worker(requests.Hello(tensorflow=True), kind, _START)
        self.until += self._clock() - began
        if not warm.ok:
            return warm
        left = self.until - self._clock()
        if left <= 0:
            raise OutOfTime
        answer = super()._from_worker(request, kind, min(timeout, left))
        if answer.state == "timed-out":
            raise OutOfTime
        if isinstance(request, requests.CountOps) and answer.ok:
            # A process that compiles fast takes longer to start than a small program to compile well.
            self._small = int(answer.result["ops"]) < _FEW
        return answer
