"""After a run that ended well, or by a check of the program's own: does each function that XLA compiled give what its
graph gives plainly?

A worker compares the recorded first calls, a few functions and within a budget of time. What could not be asked is an
answer too, with the reason: a run of which nothing was checked must not look like one of which all was.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from xladoctor.diagnosis.checked import REQUEST, not_checked
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.recording.run import Recording
from xladoctor.recording.schema import schema

if TYPE_CHECKING:
    from xladoctor.workers.worker import Worker

MAX_FUNCTIONS = 32
_LEAST, _MOST, _SHARE = 5.0, 30.0, 0.05
_GRACE = 5.0
"""A worker looks at the clock between two calls only."""
_START = 120.0
"""TensorFlow may take this long to be imported; the budget is for the checks alone."""


def budget(seconds: float | None, asked: float | None, least: float = _LEAST) -> float:
    """How long the checks after a run of `seconds` may take: what was asked for, else 5 % of it, `least` to 30 s."""
    return asked if asked is not None else min(_MOST, max(least, _SHARE * (seconds or 0.0)))


def least(recording: Recording) -> float:
    """The seconds that the checks get at least: more where the run failed, and its cause is looked for."""
    return _LEAST if survived(recording) else _MOST


def to_check(recording: Recording) -> list[str]:
    """The capsules whose first call was kept, of each function the first one before any second one."""
    if not (survived(recording) or ended_itself(recording)):
        return []
    kept = [str(e["capsule"]) for e in recording.of_kind(schema.FIRST_CALL) if e["kept"]]
    names = {str(e.get("capsule")): str(e.get("python_name")) for e in recording.of_kind(schema.TRACE)}
    seen: dict[str, int] = {}
    rank = {}
    for capsule in kept:
        name = names.get(capsule, capsule)
        rank[capsule] = seen[name] = seen.get(name, -1) + 1
    return sorted(kept, key=lambda c: rank[c])


def answers(
    worker: Worker,
    recording: Recording,
    capsules: list[str],
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[dict[str, Any]]:
    """An answer for each capsule, as `worker.jsonl` keeps it; then one for those of which later calls were kept."""
    from xladoctor.workers.worker import WorkerError, WorkerTimeout

    why = None
    try:
        worker.request("hello", timeout=_START, tensorflow=True)
    except WorkerError as error:
        why = f"the worker did not start: {error}"
    until = clock() + seconds
    agreed = []
    for number, capsule in enumerate(capsules):
        left = until - clock()
        if number >= MAX_FUNCTIONS:
            why = why or f"{MAX_FUNCTIONS} functions were checked, and no more are"
        elif left <= 0:
            why = why or _over(seconds)
        if why is not None:
            yield {"capsule": capsule, "request": REQUEST, "result": not_checked(why)}
            continue
        folder = str(recording.folder / "capsules" / capsule)
        try:
            result = _asked(worker, folder, left)
        except WorkerTimeout:
            result = not_checked(_over(seconds))
        except WorkerError as error:
            result = not_checked(str(error))
        if isinstance(result, dict) and result.get("result") == "agrees":
            agreed.append(capsule)
        yield {"capsule": capsule, "request": REQUEST, "result": result}
    yield from _later(worker, recording, agreed, until, clock)


def _later(
    worker: Worker, recording: Recording, capsules: list[str], until: float, clock: Callable[[], float]
) -> Iterator[dict[str, Any]]:
    """What the later calls give of functions whose first one agrees; nothing where the time is over."""
    from xladoctor.workers.worker import WorkerError

    kept = {str(e["capsule"]) for e in recording.of_kind(schema.LATER_CALL)}
    waiting = [c for c in capsules if c in kept]
    for number, capsule in enumerate(waiting):
        left = until - clock()
        if left <= 0:
            return
        folder = str(recording.folder / "capsules" / capsule)
        # The first of several functions must not take all that is left.
        share = left if number == len(waiting) - 1 else left / 2
        with contextlib.suppress(WorkerError):
            result = worker.request(REQUEST, timeout=left + _GRACE, capsule=folder, later=share)
            if isinstance(result, dict) and result.get("calls"):
                yield {"capsule": capsule, "request": REQUEST, "later": True, "result": result}


def _asked(worker: Worker, folder: str, seconds: float) -> Any:
    """The answer; without the op at which both part, where XLA ends the process when it is looked for."""
    from xladoctor.workers.worker import WorkerDied

    try:
        return worker.request(REQUEST, timeout=seconds, capsule=folder)
    except WorkerDied:
        worker.request("hello", timeout=_START, tensorflow=True)
        return worker.request(REQUEST, timeout=seconds, capsule=folder, whole=True)


def _over(seconds: float) -> str:
    return f"the time for checks ({seconds:g} s, --check-budget) was over"
