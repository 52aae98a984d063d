"""Failures of which no graph was finished: the op that failed, made again by a worker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from xladoctor.diagnosis.facts import steps
from xladoctor.diagnosis.remade import REQUEST, name_of, question
from xladoctor.experiments import eager_op
from xladoctor.recording.run import Recording

_TIMEOUT = 60.0
# A run that fails in many ways shows it in the first few, and in the one that ended it.
_MOST = 4

Questions = Mapping[str, dict[str, Any]]


def questions(recording: Recording) -> Questions:
    """{failure: what to ask about it}; first the failure that ended the run."""
    failed = [s for s in steps(recording) if s.why == "failed" and s.capsule is None and s.failure is not None]
    found: dict[str, dict[str, Any]] = {}
    for step in sorted(failed, key=lambda s: not s.ended_run):
        asked = question(step) or eager_op.question(step)
        if asked is not None and step.failure is not None and asked not in found.values() and len(found) < _MOST:
            found[name_of(step.failure)] = asked
    return found


def remade(worker: Any, asked: Questions) -> Iterator[dict[str, Any]]:
    """What came of each, as `worker.jsonl` keeps it."""
    from xladoctor.workers.worker import WorkerError

    for name, one in asked.items():
        common = {"capsule": name, "request": REQUEST}
        try:
            yield {**common, "result": worker.request(REQUEST, timeout=_TIMEOUT, **one)}
        except WorkerError as error:
            yield {**common, "error": f"{type(error).__name__}: {error}"}
