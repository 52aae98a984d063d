"""One case tried: what the worker said -> `Outcome`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from xladoctor.diagnosis.facts import Step, is_user_file, short
from xladoctor.diagnosis.places import wanted
from xladoctor.model.answers import WorkerAnswer
from xladoctor.model.replay import Case, Outcome, Signature
from xladoctor.protocol import answers, codec, requests
from xladoctor.rules import OUTSIDE
from xladoctor.workers.bench import Answer, Bench
from xladoctor.workers.classify import converted, finding, signature

_WAYS: Mapping[str, requests.Way] = {"on": "xla", "off": "plain"}


class Attempt:
    """Runs the subject of a bench in a case."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        step = bench.subject.step
        self._step = step
        self._wanted = tuple(wanted(step.recording, step.capsule)) if step is not None and step.capsule else ()

    def __call__(self, case: Case, own: bool = False, plain: bool = False) -> Outcome:
        """The outcome of the case. `own`: a callable gets a trace of its own, which no other size shares. `plain`: a
        capsule is not compiled with XLA, whatever the program did.

        Raises nothing that is the subject's fault.
        """
        vary = dict(case.vary)
        request: requests.Request[answers.Attempt]
        if self._bench.subject.kind == "callable":
            way: requests.Way = "xla" if vary.get("jit") == "on" else "eager" if vary.get("eager") == "on" else "graph"
            request = requests.Call(way=way, own=own)
        else:
            recorded: requests.Way = "plain" if plain else "recorded"
            request = requests.TryBatch(way=_WAYS.get(vary.get("jit", ""), recorded), wanted=self._wanted)
        answer = self._bench.ask(request, case)
        found = outcome(case, answer)
        return self._with_place(found, answer)

    def _with_place(self, found: Outcome, answer: Answer[answers.Attempt]) -> Outcome:
        """The outcome with the first place whose contract the call broke, and what is wrong there."""
        shapes = answer.result.shapes if answer.ok else None
        step = _with(self._step, shapes) if self._step is not None and shapes else None
        if step is None or step.first is None:
            return found
        place = f"{short(step.first.call.place)}: {step.first.violation.reason}"
        return replace(found, place=place, promised=step.owned)


def axes(step: Step | None) -> dict[str, int]:
    """The sizes of named axes that contracts multiply with the batch, as `B*C` does: {"C": 4}."""
    if step is None:
        return {}
    partners = {p for e in step.expressions for p in e.split("*") if "B" in e.split("*") and p != "B"}
    return {n: b.value for n, b in step.bindings.items() if n in partners}


def _with(step: Step, shapes: answers.Shapes) -> Step:
    answer = WorkerAnswer(str(step.capsule), "shapes", codec.to_json(shapes))
    return replace(step, recording=replace(step.recording, worker=(answer,)))


def words(case: Case) -> str:
    """A case for people: `batch 16, jit=on`."""
    parts = [f"batch {case.batch}" if case.batch is not None else "the recorded batch"]
    return ", ".join([*parts, *(f"{name}={value}" for name, value in case.vary)])


def outcome(case: Case, answer: Answer[answers.Attempt]) -> Outcome:
    """What an answer to `TryBatch` or `Call` says of a case."""
    if answer.state == "refused":
        return Outcome(case, "refused", message=answer.message, rows_in=case.batch, note=answer.kind)
    if answer.state == "timed-out":
        return Outcome(case, "timed-out", Signature("timed-out"), answer.message, rows_in=case.batch)
    if answer.state == "crashed":
        return _crashed(case, answer)
    attempt = answer.result
    tried = Outcome(
        case,
        "passed",
        rows_in=attempt.batch or case.batch,
        trace_seconds=attempt.trace_seconds,
        compile_seconds=attempt.compile_seconds,
        run_seconds=attempt.run_seconds,
        note=attempt.note,
        shared=attempt.shared,
    )
    if attempt.passed or attempt.error is None:
        leading = _leading(attempt.outputs)
        return replace(tried, rows_out=next((n for n in leading if n is not None), None), leading=leading)
    kind, message = attempt.error.kind, attempt.error.message
    found = finding(kind, message)
    return replace(
        tried,
        state="failed",
        signature=signature(kind, message),
        message=message,
        node=found.node if found else None,
        location=_location(attempt.where) or converted(message),
        dims=tuple(found.dims) if found else (),
    )


def _location(where: answers.Frames) -> str | None:
    """The innermost of the user's frames."""
    user = [f for f in where if is_user_file(f[0])]
    return f"{user[-1][0]}:{user[-1][1]} in {user[-1][2]}" if user else None


def _leading(outputs: Sequence[answers.Output]) -> tuple[int | None, ...]:
    """The leading size of each result, None for one without axes. Variables are no results."""
    return tuple(o.shape[0] if o.shape else None for o in outputs if not o.output.startswith("variable "))


def _crashed(case: Case, answer: Answer[answers.Attempt]) -> Outcome:
    """The worker died: why, if its last words say so."""
    message = answer.message or ""
    found = finding(None, message)
    known = found is not None and found.slug not in OUTSIDE
    slug = found.slug if found is not None and known else "oom" if _out_of_memory(answer) else "worker-died"
    return Outcome(
        case,
        "crashed",
        Signature(slug, answer.signal),
        message.splitlines()[0] if message else None,
        rows_in=case.batch,
    )


def _out_of_memory(answer: Answer[answers.Attempt]) -> bool:
    said = answer.message or ""
    return any(word in said for word in ("std::bad_alloc", "MemoryError", "Cannot allocate memory"))
