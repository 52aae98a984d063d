"""Failures of which no graph was finished: the op that failed, made again by a worker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from xladoctor import protocol
from xladoctor.diagnosis.facts import steps
from xladoctor.diagnosis.remade import REQUEST, name_of, question
from xladoctor.experiments import eager_op
from xladoctor.model.answers import WorkerAnswer
from xladoctor.recording.run import Recording

if TYPE_CHECKING:
    from xladoctor.workers.worker import Worker

_TIMEOUT = 60.0
# A run that fails in many ways shows it in the first few, and in the one that ended it.
_MOST = 4

Questions = Mapping[str, "protocol.requests.RemakeOp"]


def questions(recording: Recording) -> Questions:
    """{failure: what to ask about it}; first the failure that ended the run."""
    failed = [s for s in steps(recording) if s.why == "failed" and s.capsule is None and s.failure is not None]
    found: dict[str, protocol.requests.RemakeOp] = {}
    for step in sorted(failed, key=lambda s: not s.ended_run):
        seen = question(step) or eager_op.question(step)
        if seen is None or step.failure is None:
            continue
        asked = protocol.codec.read(protocol.requests.RemakeOp, seen)
        if asked not in found.values() and len(found) < _MOST:
            found[name_of(step.failure)] = asked
    return found


def remade(worker: Worker, asked: Questions) -> Iterator[WorkerAnswer]:
    """What came of each, as `worker.jsonl` keeps it."""
    return (_remade(worker, name, one) for name, one in asked.items())


def _remade(worker: Worker, name: str, asked: protocol.requests.RemakeOp) -> WorkerAnswer:
    from xladoctor.workers.worker import WorkerError

    try:
        return WorkerAnswer(name, REQUEST, protocol.codec.to_json(worker.ask(asked, timeout=_TIMEOUT)))
    except WorkerError as error:
        return WorkerAnswer(name, REQUEST, error=f"{type(error).__name__}: {error}")
