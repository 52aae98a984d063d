"""What a worker can be asked (`probes.protocol.requests`), and who answers it.

TensorFlow is imported with the first question that needs it and then kept warm.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..protocol import answers, codec, requests
from ..schema import WORKER_SCHEMA
from . import imported
from .errors import GraphRoomError

if TYPE_CHECKING:
    from .evaluate import Frames
    from .parity_answers import Kept
    from .prefixes import Prefixes
    from .repro import Core
    from .silent import Silent
    from .step import Step
    from .traced import Callables

GOODBYE = "goodbye"
_KEPT = 2


class BadRequest(GraphRoomError):
    """The question cannot be understood."""


class Service:
    """Keeps the last capsules prepared, so that a second question about one is answered quickly."""

    def __init__(self) -> None:
        self._steps: dict[tuple[Any, ...], tuple[Step, Frames]] = {}
        self._callables: Callables | None = None
        self._parity: Kept | None = None
        self._prefixes: dict[int, Prefixes] = {}
        self._core: tuple[Prefixes, Core] | None = None
        self._silent: tuple[object, Silent] | None = None
        self._answers: dict[type[requests.Request[Any]], Callable[[Any], Any]] = {
            requests.Hello: self.hello,
            requests.Goodbye: lambda _: GOODBYE,
            requests.Load: self.load,
            requests.FindShapes: self.shapes,
            requests.FindFailingOp: self.failing_op,
            requests.TryOptimizers: self._of_step("optimizers", "tried"),
            requests.FindSizeOrigin: self.birth,
            requests.FindRowsOrigin: self.rows_birth,
            requests.Run: self.run,
            requests.Compare: self.compare,
            requests.Lower: self.lower,
            requests.LowerFor: _room("lowering", "lowered_for"),
            requests.CountOps: lambda r: self._outline(r).outline(r.listed),
            requests.DescribeOp: lambda r: self._outline(r).describe(r.ops),
            requests.FindValueOrigins: self.origins,
            requests.CompilePrefix: self.prefix,
            requests.ReduceCore: lambda r: self.core(r).reduce(r),
            requests.WriteCoreScript: lambda r: self.core(r).script(r),
            requests.ReadValues: lambda r: self.core(r).values(r.tensors),
            requests.WriteRunScript: self.script_of_run,
            requests.WriteTraceScript: _room("repro", "script_of_trace"),
            requests.ListSilent: lambda r: self.silent(r).listed(),
            requests.ReduceSilent: lambda r: self.silent(r).reduce(r),
            requests.WriteSilentScript: lambda r: self.silent(r).script(r),
            requests.FindSources: self.sources,
            requests.DigestGraph: self.digest,
            requests.JudgePositions: self.judged,
            requests.MeasureMemory: self._of_step("memory", "needed"),
            requests.FindBaked: self.baked,
            requests.TryBatch: _room("attempt", "attempt"),
            requests.ReadFacts: _room("attempt", "facts"),
            requests.CompareWays: lambda r: self._ways().compare(r),
            requests.CompareRows: lambda r: self._ways().rows(r),
            requests.FindFirstNode: lambda r: self._ways().first_node(r),
            requests.CompareCallable: self.compare_callable,
            requests.TryRemedy: lambda r: self._ways().remedy(r),
            requests.CheckAgreement: self.agreement,
            requests.CheckLaterCalls: self.later_calls,
            requests.CheckPairing: self.pairing,
            requests.CheckOwnGradients: _room("own_gradients", "own_gradients"),
            requests.DescribeCallable: _room("callables", "describe"),
            requests.Call: self.call,
            requests.Capture: _room("callables", "capture"),
            requests.ListWritten: _room("callables", "settings_written"),
            requests.ListRead: _room("callables", "settings_read"),
            requests.FindRefusedOp: _room("halted", "halted"),
            requests.RemakeOp: _room("remade", "remade"),
            requests.CompareTwoWays: _room("two_ways", "two_ways"),
            requests.ExplainData: _room("explained", "explained"),
        }

    def answer(self, line: str) -> dict[str, Any]:
        """The answer to one line, as it is written. Never raises: every error is an answer."""
        number = None
        try:
            value = json.loads(line)
            number = value.get("id") if isinstance(value, dict) else None
            return {"id": number, "ok": True, "result": codec.to_json(self.ask(_request(value)))}
        except Exception as error:
            if not isinstance(error, GraphRoomError):
                traceback.print_exc()
            return {
                "id": number,
                "ok": False,
                "error": {"type": type(error).__name__, "message": str(error)[:4000]},
            }

    def ask(self, request: requests.Request[requests.A]) -> requests.A:
        """The answer to one request.

        Raises:
            Misfit: what was worked out is no answer that the protocol knows.
        """
        if isinstance(request, requests.OfCapsule) and request.seal is not None:
            from .load import SEALS

            # The capsule is loaded only as the doctor knows it.
            SEALS[str(Path(request.capsule).resolve())] = request.seal
        # The rooms of graphs work with plain values: here, at the border, they become what the protocol says.
        return request.answer(codec.to_json(self._answers[type(request)](request)))

    def hello(self, request: requests.Hello) -> answers.Hello:
        """`tensorflow` imports it and tells its version."""
        return answers.Hello(
            schema=WORKER_SCHEMA,
            pid=os.getpid(),
            python=platform.python_version(),
            executable=sys.executable,
            tensorflow=str(imported.tensorflow().__version__) if request.tensorflow else None,
        )

    def load(self, request: requests.Load) -> answers.Loaded:
        """What a capsule holds."""
        from .safety import unsafe_ops

        step, _ = self._step(request)
        program = step.program
        return answers.Loaded(
            name=program.name,
            python_name=program.python_name,
            xla=program.xla,
            versions=dict(program.versions),
            recipe=dict(program.recipe),
            nodes=len(step.pure.graph.nodes),
            filled=tuple(step.filled),
            left_out=dict(step.left_out),
            unsafe_ops=unsafe_ops(program),
        )

    def shapes(self, request: requests.FindShapes) -> Any:
        """`shapes.runtime_shapes`."""
        from .shapes import runtime_shapes

        step, frames = self._step(request)
        return runtime_shapes(step, request.wanted, frames)

    def birth(self, request: requests.FindSizeOrigin) -> Any:
        """`birth.birth`."""
        from .birth import birth

        step, frames = self._step(request)
        return birth(step, request.graph, request.tensor, request.path, request.axis, request.known, frames)

    def rows_birth(self, request: requests.FindRowsOrigin) -> Any:
        """`birth.rows_birth`."""
        from .birth import rows_birth

        if request.batch is None:
            raise BadRequest("rows_birth needs 'batch'")
        step, frames = self._step(request)
        return rows_birth(step, request.batch, frames)

    def failing_op(self, request: requests.FindFailingOp) -> Any:
        """`failing.failing_op`, with the runs that it took and the number of ops."""
        from .failing import failing_op

        step, frames = self._step(request)
        before = frames.machine.runs
        found = failing_op(step, frames)
        if found is not None:
            found.update(runs=frames.machine.runs - before, ops=len(step.pure.graph.nodes))
        return found

    def run(self, request: requests.Run) -> Any:
        """The outcome of the whole step."""
        from .outcome import run_plain, run_xla

        if request.jit:
            return run_xla(self._step(request, xla=True)[0])[0]
        return run_plain(*self._step(request))[0]

    def compare(self, request: requests.Compare) -> Any:
        """The step plainly and as one XLA program."""
        from .outcome import compare, run_plain, run_xla

        plain, plain_values = run_plain(*self._step(request))
        xla, xla_values = run_xla(self._step(request, xla=True)[0])
        return {"plain": plain, "xla": xla, "outputs": compare(plain_values, xla_values)}

    def lower(self, request: requests.Lower) -> answers.Lowered:
        """The text in HLO, or why TensorFlow refuses it."""
        from .outcome import lowered, traced_otherwise

        step, _ = self._step(request, xla=True)
        try:
            text = lowered(step, platform=request.platform, stage=request.stage)
        except Exception as error:
            if isinstance(error, GraphRoomError):
                raise
            refusal = answers.Error(type(error).__name__, str(error)[:4000])
            return answers.Lowered(hlo=None, error=refusal, note=traced_otherwise(step))
        return answers.Lowered(hlo=text, error=None, note=traced_otherwise(step))

    def prefix(self, request: requests.CompilePrefix) -> Any:
        """`prefixes.Prefixes.compile`."""
        outline = self._outline(request)
        save = Path(request.save) if request.save else None
        return outline.compile(request.ops or outline.count, request.stage, save)

    def origins(self, request: requests.FindValueOrigins) -> Any:
        """`origins.origins`."""
        from .origins import origins

        outline = self._outline(request)
        return {"origins": origins(outline.step, outline.spot(request.ops), request.inputs)}

    def core(self, request: requests.ReduceCore | requests.WriteCoreScript | requests.ReadValues) -> Core:
        """The op that fails under XLA, with all that it depends on; the last one is kept."""
        from .repro import Core

        outline = self._outline(request)
        if self._core is None or self._core[0] is not outline or self._core[1].number != request.ops:
            self._core = (outline, Core(outline, request.ops, request.batch))
        return self._core[1]

    def script_of_run(self, request: requests.WriteRunScript) -> str:
        """`repro.script_of_run`."""
        step, frames = self._step(request)
        from .repro import script_of_run

        return script_of_run(step, frames, request)

    def silent(self, request: requests.OfSilent[Any]) -> Silent:
        """The part of a step that shows a silent finding; the last one is kept."""
        imported.tensorflow()
        from .pair import Pair
        from .silent import Silent

        key = (request.capsule, request.batch, request.test, request.output, request.node, request.values)
        if self._silent is None or self._silent[0] != (*key, request.foreign):
            if self._silent is not None:
                self._silent[1].close()
                self._silent = None
            kind = Pair if request.test.get("kind") == "pair" else Silent
            self._silent = ((*key, request.foreign), kind(request))
        return self._silent[1]

    def sources(self, request: requests.FindSources) -> Any:
        """`load.Program.find` of each node."""
        step, _ = self._step(request)
        return {node: step.program.find(node) for node in request.nodes}

    def digest(self, request: requests.DigestGraph) -> Any:
        """`digest.digest`."""
        imported.tensorflow()
        from .digest import digest
        from .load import load

        return digest(load(Path(request.capsule).resolve()))

    def judged(self, request: requests.JudgePositions) -> Any:
        """`doubled.judged`."""
        imported.tensorflow()
        from .doubled import judged

        return judged(Path(request.capsule).resolve(), Path(request.other).resolve())

    def agreement(self, request: requests.CheckAgreement) -> Any:
        """`agreement.agreement`."""
        from .agreement import agreement

        return agreement(Path(request.capsule), foreign=request.foreign, whole=request.whole)

    def later_calls(self, request: requests.CheckLaterCalls) -> Any:
        """`agreement.later`."""
        from .agreement import later

        return later(Path(request.capsule), request.later, foreign=request.foreign)

    def pairing(self, request: requests.CheckPairing) -> Any:
        """`pairing.pairing`."""
        imported.tensorflow()
        from .pairing import pairing

        return pairing(Path(request.capsule), sizes=request.sizes, foreign=request.foreign, by_row=request.by_row)

    def compare_callable(self, request: requests.CompareCallable) -> Any:
        """`call_parity.answer`."""
        ways = self._ways()
        from .call_parity import answer

        return answer(request, ways)

    def call(self, request: requests.Call) -> Any:
        """`traced.Callables.call`."""
        imported.tensorflow()
        from .traced import Callables

        if self._callables is None:
            self._callables = Callables()
        return self._callables.call(request)

    def baked(self, request: requests.FindBaked) -> Any:
        """`baked.baked`, each with "recompiles" where that could be tried."""
        from .baked import baked, recompiles

        step, _ = self._step(request)
        found = baked(step.program, request.table)
        for row in found[:3]:
            inputs = [g["input"] for g in row["from"] if g.get("input")]
            if step.program.xla and inputs:
                row["recompiles"] = recompiles(self._step(request, xla=True)[0], inputs[0])
        return found

    def _of_step(self, module: str, name: str) -> Callable[[requests.OfCapsule[Any]], Any]:
        """A function of a room that needs nothing but the prepared step."""
        return lambda request: getattr(import_module(f".{module}", __package__), name)(self._step(request)[0])

    def _ways(self) -> Kept:
        imported.tensorflow()
        from .parity_answers import Kept

        if self._parity is None:
            self._parity = Kept()
        return self._parity

    def _outline(self, request: requests.OfCapsule[Any]) -> Prefixes:
        """The ops of a step in program order; those of the last one are kept."""
        step = self._step(request, xla=True)[0]
        from .prefixes import prefixes_of

        return prefixes_of(step, self._prefixes)

    def _step(self, request: requests.OfCapsule[Any], *, xla: bool = False) -> tuple[Step, Frames]:
        """The capsule of a request, prepared; the last few are kept."""
        imported.tensorflow()
        from .load import load, without_values
        from .step import new_frames, prepare

        batch, static, foreign = request.batch, request.static, request.foreign
        folder = Path(request.capsule).resolve()
        key = (str(folder), batch, static, foreign, xla, request.values)
        if key not in self._steps:
            program = load(folder) if request.values else without_values(load(folder))
            step = prepare(program, batch=batch, static=static, foreign=foreign, calls=not xla, strict=xla)
            while len(self._steps) >= _KEPT:
                _, old = self._steps.pop(next(iter(self._steps)))
                old.machine.close()
            self._steps[key] = (step, new_frames())
        return self._steps[key]


def _room(module: str, name: str) -> Callable[[Any], Any]:
    """A function of a room that answers a request by itself. The room is loaded once it is asked."""

    def answered(request: Any) -> Any:
        imported.tensorflow()
        return getattr(import_module(f".{module}", __package__), name)(request)

    return answered


def _request(value: Any) -> requests.Request[Any]:
    try:
        return requests.request_of(value)
    except codec.Misfit as error:
        raise BadRequest(str(error)) from None
