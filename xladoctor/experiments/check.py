"""After a run that ended well, or by a check of the program's own: does each function that XLA compiled give what its
graph gives plainly?

A worker compares the recorded first calls, a few functions and within a budget of time. What could not be asked is an
answer too, with the reason: a run of which nothing was checked must not look like one of which all was.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from xladoctor import protocol
from xladoctor.diagnosis.checked import REQUEST, hazards, not_checked
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.experiments.budget import START, Budget
from xladoctor.model.answers import WorkerAnswer
from xladoctor.recording.run import Recording
from xladoctor.recording.schema import schema

if TYPE_CHECKING:
    from xladoctor.workers.worker import Worker

MAX_FUNCTIONS = 32
_LEAST, _MOST, _SHARE = 5.0, 30.0, 0.05
_JOB_END = "SLURM_JOB_END_TIME"
_BEFORE_THE_END = 120.0
_GRACE = 5.0
"""A worker looks at the clock between two calls only."""


def budget(seconds: float | None, asked: float | None, least: float = _LEAST) -> float:
    """How long the checks after a run of `seconds` may take: what was asked for, else 5 % of it, `least` to 30 s."""
    return asked if asked is not None else min(_MOST, max(least, _SHARE * (seconds or 0.0)))


def job_ends_in(environment: Mapping[str, str], now: Callable[[], float] = time.time) -> float | None:
    """The seconds until a scheduler ends the job, where it says so: Slurm does. None where nobody knows."""
    try:
        return float(environment[_JOB_END]) - now()
    except (KeyError, ValueError):
        return None


def has_time(environment: Mapping[str, str], now: Callable[[], float] = time.time) -> bool:
    """Whether checks may begin: near the end of a job what comes after the program matters more."""
    left = job_ends_in(environment, now)
    return left is None or left > _BEFORE_THE_END


def stretched(worker: Worker, seconds: float) -> float:
    """The same on a machine that others use as well, where a worker waits for a processor: what it takes there for the
    same work, 30 s at most.
    """
    from xladoctor.workers.worker import WorkerError

    with contextlib.suppress(WorkerError):
        worker.ask(protocol.requests.Hello(tensorflow=True), timeout=START)
    return max(seconds, min(_MOST, seconds * worker.slowdown))


def least(recording: Recording) -> float:
    """The seconds that the checks get at least: more where the run failed, and its cause is looked for."""
    return _LEAST if survived(recording) else _MOST


def to_check(recording: Recording) -> list[str]:
    """The capsules whose first call was kept: of each function the first one before any second one, and of those first
    what the atlas knows to differ most.
    """
    if not (survived(recording) or ended_itself(recording)):
        return []
    kept = [str(e["capsule"]) for e in recording.of_kind(schema.FIRST_CALL) if e["kept"]]
    traces = (*recording.of_kind(schema.TRACE), *recording.of_kind(schema.GRADIENT))
    names = {str(e.get("capsule")): str(e.get("python_name")) for e in traces}
    seen: dict[str, int] = {}
    rank = {}
    for capsule in kept:
        name = names.get(capsule, capsule)
        rank[capsule] = seen[name] = seen.get(name, -1) + 1
    grave = {c: sum(weight for _, weight in hazards(recording, c)) for c in kept} if len(kept) > 1 else {}
    return sorted(kept, key=lambda c: (rank[c], -grave.get(c, 0)))


def answers(
    worker: Worker,
    recording: Recording,
    capsules: Sequence[str],
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[WorkerAnswer]:
    """An answer for each capsule, as `worker.jsonl` keeps it; then one for those of which later calls were kept."""
    time_left = Budget(worker, seconds, clock)
    agreed = []

    def ask(capsule: str, left: float) -> protocol.answers.Agreement:
        return _asked(worker, str(recording.folder / "capsules" / capsule), left)

    for capsule, found, why in time_left.each(capsules, ask, MAX_FUNCTIONS):
        if found is not None and found.result == "agrees":
            agreed.append(capsule)
        result = not_checked(str(why)) if found is None else protocol.codec.to_json(found)
        yield WorkerAnswer(capsule, REQUEST, result)
    yield from _later(worker, recording, agreed, time_left)


def _later(worker: Worker, recording: Recording, capsules: Sequence[str], time_left: Budget) -> Iterator[WorkerAnswer]:
    """What the later calls give of functions whose first one agrees; nothing where the time is over."""
    from xladoctor.workers.worker import WorkerError

    kept = {str(e["capsule"]) for e in recording.of_kind(schema.LATER_CALL)}
    waiting = [c for c in capsules if c in kept]
    for number, capsule in enumerate(waiting):
        left = time_left.left
        if left <= 0:
            return
        folder = str(recording.folder / "capsules" / capsule)
        # The first of several functions must not take all that is left.
        share = left if number == len(waiting) - 1 else left / 2
        with contextlib.suppress(WorkerError):
            request = protocol.requests.CheckLaterCalls(capsule=folder, later=share)
            found = worker.ask(request, timeout=left + _GRACE)
            if found.calls:
                yield WorkerAnswer(capsule, REQUEST, protocol.codec.to_json(found), later=True)


def _asked(worker: Worker, folder: str, seconds: float) -> protocol.answers.Agreement:
    """The answer; without the op at which both part, where XLA ends the process when it is looked for."""
    from xladoctor.workers.worker import WorkerDied

    try:
        return worker.ask(protocol.requests.CheckAgreement(capsule=folder), timeout=seconds)
    except WorkerDied:
        worker.ask(protocol.requests.Hello(tensorflow=True), timeout=START)
        return worker.ask(protocol.requests.CheckAgreement(capsule=folder, whole=True), timeout=seconds)
