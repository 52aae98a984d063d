"""One case tried: what the worker said -> `Outcome`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xladoctor.replay.bench import Answer, Bench
from xladoctor.replay.classify import finding, signature
from xladoctor.replay.model import Case, Outcome, Signature

_STATES = {"crashed": "crashed", "timed-out": "timed-out", "refused": "refused"}


class Attempt:
    """Runs the subject of a bench in a case."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def __call__(self, case: Case) -> Outcome:
        """The outcome of the case. Raises nothing that is the subject's fault."""
        self._bench.say(f"trying {words(case)}")
        vary = dict(case.vary)
        if self._bench.subject.kind == "callable":
            way = "xla" if vary.get("jit") == "on" else "eager" if vary.get("eager") == "on" else "graph"
            answer = self._bench.ask("call", case, way=way)
        else:
            way = {"on": "xla", "off": "plain"}.get(vary.get("jit", ""), "recorded")
            answer = self._bench.ask("attempt", case, way=way)
        return outcome(case, answer)


def words(case: Case) -> str:
    """A case for people: `batch 16, jit=on`."""
    parts = [f"batch {case.batch}" if case.batch is not None else "the recorded batch"]
    return ", ".join([*parts, *(f"{name}={value}" for name, value in case.vary)])


def outcome(case: Case, answer: Answer) -> Outcome:
    """What an answer to `attempt` or `call` says of a case."""
    if answer.state == "refused":
        return Outcome(case, "refused", message=answer.message, rows_in=case.batch, note=answer.kind)
    if answer.state == "timed-out":
        return Outcome(case, "timed-out", Signature("timed-out"), answer.message, rows_in=case.batch)
    if answer.state == "crashed":
        return Outcome(case, "crashed", _death(answer), _first_line(answer.message), rows_in=case.batch)
    told: Mapping[str, Any] = answer.result
    error = told.get("error")
    common: dict[str, Any] = {
        "rows_in": told.get("batch") or case.batch,
        "trace_seconds": told.get("trace_seconds"),
        "compile_seconds": told.get("compile_seconds"),
        "run_seconds": told.get("run_seconds"),
        "note": told.get("note"),
    }
    if told.get("outcome") == "passed" or not error:
        return Outcome(case, "passed", rows_out=rows_out(told.get("outputs") or ()), **common)
    kind, message = str(error.get("kind")), str(error.get("message"))
    found = finding(kind, message)
    return Outcome(
        case,
        "failed",
        signature(kind, message),
        message,
        node=found.node if found else None,
        dims=tuple(found.dims) if found else (),
        **common,
    )


def rows_out(outputs: Sequence[Mapping[str, Any]]) -> int | None:
    """The leading size of the first result that has one."""
    return next((int(o["shape"][0]) for o in outputs if o.get("shape")), None)


def _death(answer: Answer) -> Signature:
    """What ended the worker, as a log would show it: its last words are read by the rules of `scan`."""
    return Signature("worker-died", op=answer.signal)


def _first_line(message: str | None) -> str | None:
    return (message or "").splitlines()[0] if message else None
