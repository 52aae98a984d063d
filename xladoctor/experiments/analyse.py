"""After the run: workers answer what the recording alone cannot, and their answers go into the run folder.

Asked is about the capsules of calls that failed or lost rows; `trace` asks about every watched call. The answers are
data of the run like the events: from them the same diagnosis is made again anywhere, without TensorFlow.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xladoctor import protocol, secrets
from xladoctor.diagnosis.again import REQUEST as AGAIN
from xladoctor.diagnosis.again import asks_for_determinism, is_evidence, is_of_data, sizes_to_try
from xladoctor.diagnosis.baked import REQUEST as BAKED
from xladoctor.diagnosis.facts import Step, steps
from xladoctor.diagnosis.optimizers import asks
from xladoctor.diagnosis.own_gradients import Asked as AskedGradients
from xladoctor.diagnosis.own_gradients import to_ask as gradients_to_ask
from xladoctor.diagnosis.places import wanted
from xladoctor.experiments import check as check_
from xladoctor.experiments import explain, gradient_check, isolate_run, row_check, two_ways
from xladoctor.experiments.remake import questions, remade
from xladoctor.model.answers import WorkerAnswer
from xladoctor.model.ops import WorkerOp
from xladoctor.recording import files
from xladoctor.recording.contents import fitting
from xladoctor.recording.run import Recording
from xladoctor.recording.schema import probes_dir, schema
from xladoctor.sources.two_ways import TwoWays
from xladoctor.workers.environment import batch_sizes, interpreter, worker_environment

if TYPE_CHECKING:
    from xladoctor.workers.worker import Worker

# A capsule that a worker cannot load in this time is not worth a longer wait for.
_TIMEOUT = 300.0
# Each distinct failing function once; a run that fails in many ways shows it in the first few.
_MAX_CAPSULES = 4
_MAX_COMPILED = 8
# A trace asks about each distinct step; a program that retraces without end shows it in these.
MAX_EVERY = 32

Say = Callable[[str], None]


def ask_workers(
    recording: Recording, environment: Mapping[str, str], say: Say, every: bool = False, check: float | None = 0.0
) -> bool:
    """Ask about every failed or silent step (with `every`, about each distinct step with a place in it); write
    `worker.jsonl`. True if there was anything to ask. `check` are the seconds for comparing compiled functions with
    plain execution (`check`), None as many as the run allows.
    """
    todo = {s.capsule: s for s in reversed(steps(recording, every)) if s.capsule}
    chosen = [s for s in reversed(todo.values()) if s.why != "well" or wanted(recording, str(s.capsule))]
    chosen = chosen[: MAX_EVERY if every else _MAX_CAPSULES]
    compiled = _compiled(recording) if every or chosen else []
    python = interpreter(recording)
    remakes = questions(recording)
    checks = check > 0 if check is not None else check_.has_time(environment)
    isolated = isolate_run.to_isolate(recording) if checks else []
    after = _after(recording) if checks else _Checks()
    if python is None or not (chosen or compiled or remakes or isolated or after):
        return False
    from xladoctor.workers.worker import Worker, WorkerError

    with files.create(recording.folder, "worker.jsonl") as answers:

        def keep(answer: WorkerAnswer) -> None:
            answers.write((json.dumps(secrets.of_data(answer.to_json()), separators=(",", ":")) + "\n").encode())
            answers.flush()

        env, log = worker_environment(environment), recording.folder / "worker.log"
        with Worker(python, probes_dir(), env=env, cwd=None, log=log) as worker:
            for number, step in enumerate(chosen, 1):
                which = f", step {number} of {len(chosen)}" if len(chosen) > 1 else ""
                say(f"asking a worker for run-time shapes{which} ({python})")
                try:
                    for answer in _answers(worker, step):
                        keep(answer)
                except WorkerError as error:
                    # The next question starts a new process.
                    keep(WorkerAnswer(str(step.capsule), "worker", error=f"{type(error).__name__}: {error}"))
            for answer in remade(worker, remakes):
                keep(answer)
            for capsule in compiled:
                say(f"asking a worker what XLA makes a constant of ({python})")
                try:
                    keep(WorkerAnswer(capsule, BAKED, _baked(worker, recording, capsule)))
                except WorkerError as error:
                    keep(WorkerAnswer(capsule, BAKED, error=f"{type(error).__name__}: {error}"))
            lasted = recording.outcome.seconds if recording.outcome is not None else None
            if isolated:
                say(f"isolating the op that fails ({python}); Ctrl-C skips it")
                within = check_.budget(lasted, check, isolate_run.LEAST)
                for answer in isolate_run.answers(worker, python, isolated, environment, within):
                    keep(answer)
            within = check_.budget(lasted, check, check_.least(recording))
            for answer in _checks(worker, recording, after, within, say, asked=check is not None):
                keep(answer)
    return True


@dataclass(frozen=True)
class _Checks:
    """The questions to a run that ended well."""

    compared: Sequence[str] = ()
    paired: Sequence[row_check.Asked] = ()
    own: Sequence[AskedGradients] = ()
    ways: Sequence[TwoWays] = ()
    sampled: Sequence[str] = ()

    def __bool__(self) -> bool:
        return any((self.compared, self.paired, self.own, self.ways, self.sampled))


def _after(recording: Recording) -> _Checks:
    return _Checks(
        check_.to_check(recording), row_check.to_check(recording), gradients_to_ask(recording),
        two_ways.to_compare(recording), explain.to_explain(recording),
    )  # fmt: skip


def _checks(
    worker: Worker, recording: Recording, todo: _Checks, seconds: float, say: Say, *, asked: bool
) -> Iterator[WorkerAnswer]:
    """The questions to a run that ended well. First those that few programs raise and that nothing else answers: both
    ways of a switch, within a third of the seconds, and whether moves are as the data say, within all of them. Then
    whether compiled functions agree with plain execution, within so many seconds, whether gradients are those of their
    functions, within half of them, and which rows meet, within those that are left, or half of them. Unless the user
    asked for just so many seconds, there are more of them where others use the machine.
    """
    if not asked and todo:
        seconds = check_.stretched(worker, seconds)
    if todo.ways:
        say(f"calling both ways of {len(todo.ways)} function(s) that have a switch; Ctrl-C skips it")
        yield from two_ways.answers(worker, recording, todo.ways, seconds / 3)
    if todo.sampled:
        say("fitting the fixed part of a model to its data; Ctrl-C skips it")
        yield from explain.answers(worker, recording, todo.sampled, seconds)
    started = time.monotonic()
    if todo.compared:
        say(f"comparing {len(todo.compared)} compiled function(s) with plain execution; Ctrl-C skips it")
        yield from check_.answers(worker, recording, todo.compared, seconds)
    if todo.own:
        say(f"comparing gradients in {len(todo.own)} function(s) with differences; Ctrl-C skips it")
        yield from gradient_check.answers(worker, recording, todo.own, seconds / 2)
    if todo.paired:
        say(f"checking which rows are combined in {len(todo.paired)} function(s); Ctrl-C skips it")
        left = max(seconds / 2, seconds - (time.monotonic() - started))
        yield from row_check.answers(worker, recording, todo.paired, left)


def _compiled(recording: Recording) -> list[str]:
    """The capsules of functions that XLA compiled, or that hold one; the first few, each function once."""
    children: dict[str, list[dict[str, Any]]] = {}
    tops: dict[str, dict[str, Any]] = {}
    for trace in recording.of_kind(schema.TRACE):
        if trace.get("parent") is not None:
            children.setdefault(trace["parent"], []).append(trace)
        elif trace.get("capsule"):
            tops.setdefault(str(trace.get("python_name")), trace)

    def has_xla(trace: dict[str, Any]) -> bool:
        return bool(trace.get("xla")) or any(has_xla(t) for t in children.get(trace["graph"], ()))

    return [str(t["capsule"]) for t in tops.values() if has_xla(t)][:_MAX_COMPILED]


def _baked(worker: Worker, recording: Recording, capsule: str) -> Any:
    from xladoctor.rules.registry import constant_inputs

    folder = str(recording.folder / "capsules" / capsule)
    request = protocol.requests.FindBaked(capsule=folder, table=constant_inputs())
    return protocol.codec.to_json(worker.ask(request, timeout=_TIMEOUT))


def _answers(worker: Worker, step: Step) -> Iterator[WorkerAnswer]:
    """The failing op at the batch size that fails (the full one, else the last partial one), and the shapes there."""
    assert step.capsule is not None
    folder = str(step.recording.folder / "capsules" / step.capsule)
    from xladoctor.workers.worker import WorkerRefused

    size: int | None = None
    # A call that went well has no failing op; what fails on random values would say nothing about it.
    op: WorkerOp | None = None
    asked = step.why != "well" and not is_of_data(step.failure)
    for size in sizes_asked(step) if asked else ():
        try:
            request = protocol.requests.FindFailingOp(capsule=folder, batch=size)
            told = protocol.codec.to_json(worker.ask(request, timeout=_TIMEOUT))
        except WorkerRefused as error:
            yield WorkerAnswer(step.capsule, "failing_op", error=str(error), batch=size)
            return
        yield WorkerAnswer(step.capsule, "failing_op", told, batch=size)
        op = next(fitting(WorkerOp, [told]), None)
        if (op and is_evidence(op, step.failure)) or step.why != "failed":
            break
    else:
        size, op = next(iter(batch_sizes(step)), None), None
    if asked and step.why == "failed" and op is None and step.under_xla:
        again = _again(worker, step.capsule, folder, size)
        if asks_for_determinism(step.failure) and again.told.get("outcome") == "passed":
            again = _again(worker, step.capsule, folder, size, deterministic=True)
        yield again
    if asked and step.why == "failed" and not step.under_xla and asks(step.failure, op):
        yield _optimizers(worker, step.capsule, folder, size)
    try:
        places = tuple(wanted(step.recording, step.capsule))
        shapes = worker.ask(protocol.requests.FindShapes(capsule=folder, batch=size, wanted=places), timeout=_TIMEOUT)
    except WorkerRefused as error:
        yield WorkerAnswer(step.capsule, "shapes", error=str(error), batch=size)
        return
    answer = WorkerAnswer(step.capsule, "shapes", protocol.codec.to_json(shapes), batch=size)
    yield answer
    yield from _size_origin(worker, replace(step, recording=replace(step.recording, worker=(answer,))), folder, size)


def _size_origin(worker: Worker, step: Step, folder: str, size: int | None) -> Iterator[WorkerAnswer]:
    """Where the wrong size of the first broken contract arose, or where a result lost its rows."""
    from xladoctor.workers.worker import WorkerRefused

    known = birth_question(step)
    if known is None and (step.why != "rows" or size is None):
        return
    request: protocol.requests.Request[protocol.answers.Origin | None]
    if known is None:
        request = protocol.requests.FindRowsOrigin(capsule=folder, batch=size)
    else:
        request = protocol.codec.read(protocol.requests.FindSizeOrigin, {"capsule": folder, "batch": size, **known})
    about = WorkerAnswer(str(step.capsule), request.OP, batch=size, asked=known)
    try:
        yield replace(about, result=protocol.codec.to_json(worker.ask(request, timeout=_TIMEOUT)))
    except WorkerRefused as error:
        yield replace(about, error=str(error))


def _again(worker: Worker, capsule: str, folder: str, size: int | None, deterministic: bool = False) -> WorkerAnswer:
    """What comes of compiling the function again where the program had XLA. The compiler may end the process."""
    from xladoctor.workers.worker import WorkerError

    request = protocol.requests.TryBatch(capsule=folder, batch=size, deterministic=deterministic)
    try:
        attempt = worker.ask(request, timeout=_TIMEOUT)
    except WorkerError as error:
        return WorkerAnswer(capsule, AGAIN, error=f"{type(error).__name__}: {error}", batch=size)
    told = protocol.codec.to_json(attempt)
    kept = {k: told.get(k) for k in ("outcome", "error", "way", "note")}
    asked = {"deterministic": True} if deterministic else {}
    return WorkerAnswer(capsule, AGAIN, {**kept, "filled": list(attempt.filled), **asked}, batch=size)


def _optimizers(worker: Worker, capsule: str, folder: str, size: int | None) -> WorkerAnswer:
    """Whether an optimizer of TensorFlow makes the difference between the run and the step op by op."""
    from xladoctor.workers.worker import WorkerError

    request = protocol.requests.TryOptimizers(capsule=folder, batch=size)
    try:
        told = protocol.codec.to_json(worker.ask(request, timeout=_TIMEOUT))
        return WorkerAnswer(capsule, request.OP, told, batch=size)
    except WorkerError as error:
        # Not an error: nothing of the diagnosis waits for it.
        return WorkerAnswer(capsule, request.OP, batch=size, why=f"{type(error).__name__}: {error}")


def sizes_asked(step: Step) -> list[int | None]:
    """The batch sizes of the call; where none was recorded also those that the message may name."""
    known = batch_sizes(step)
    recorded = step.recording.capsule(step.capsule or "").values in ("exact", "redrawn")
    return known if recorded or known != [None] else [None, *sizes_to_try(step.failure)]


def birth_question(step: Step) -> dict[str, Any] | None:
    """Where the wrong size of the first broken contract comes from; None where no single size of a result is wrong."""
    first = step.first
    if first is None or first.violation.phase != "out" or first.violation.axis is None:
        return None
    tensor = (first.call.outputs or ())[first.violation.index]
    if tensor.graph is None or tensor.name is None or tensor.graph != first.call.graph:
        return None
    return {
        "graph": tensor.graph,
        "tensor": tensor.name,
        "path": list(first.call.path),
        "axis": first.violation.axis,
        "known": [t.name for t in first.call.inputs if t.name is not None and t.graph == tensor.graph],
    }


def target_environment(
    environment: Mapping[str, str], run_dir: Path, only: Sequence[str] = (), capture: str | None = None
) -> dict[str, str]:
    """The environment in which the probes load: ours first on PYTHONPATH, where to write, which recorders, and what
    capsules hold.
    """
    env = dict(environment)
    ours = str(probes_dir() / "bootstrap")
    rest = env.get("PYTHONPATH")
    env["PYTHONPATH"] = os.pathsep.join([ours, rest] if rest else [ours])
    env[schema.ENV_RUN_DIR] = str(run_dir)
    if only:
        env[schema.ENV_PROBES] = ",".join(only)
    if capture is not None:
        env[schema.ENV_CAPTURE] = capture
    return env
