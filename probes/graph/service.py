"""What a worker can be asked.

Every question about a capsule takes {"capsule": folder, "batch": rows or null, "static": bind the signature to these,
"foreign": refuse the capsule if it holds an op that may not run, "values": false takes random data of the same range}.
TensorFlow is imported with the first question that needs it and then kept warm.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..schema import WORKER_SCHEMA
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

Request = Mapping[str, Any]


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
        self._silent: tuple[str, Silent] | None = None
        self._answers: dict[str, Callable[[Request], Any]] = {
            "hello": self.hello,
            "load": self.load,
            "shapes": self.shapes,
            "failing_op": self.failing_op,
            "birth": self.birth,
            "rows_birth": self.rows_birth,
            "run": self.run,
            "compare": self.compare,
            "lower": self.lower,
            "lowered_for": self.lowered_for,
            "outline": self.prefixes,
            "prefix": self.prefixes,
            "spot": self.prefixes,
            "origins": self.prefixes,
            "reduce": self.core,
            "script": self.core,
            "values": self.core,
            "silent": self.silent,
            "sources": self.sources,
            "digest": self.digest,
            "judged": self.judged,
            "memory": self.memory,
            "baked": self.baked,
            "attempt": self.attempt,
            "facts": self.facts,
            "parity": self.parity,
            "parity_call": self.parity_call,
            "agreement": self.agreement,
            "pairing": self.pairing,
            "remedy": self.remedy,
            "describe": self.describe,
            "call": self.call,
            "capture": self.capture,
            "written": self.written,
            "settings_read": self.settings_read,
            "halted": self.halted,
            "remade": self.remade,
            "goodbye": lambda _: GOODBYE,
        }

    def answer(self, line: str) -> dict[str, Any]:
        """The answer to one line. Never raises: every error is an answer."""
        number = None
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                raise BadRequest("a request is a JSON object")
            number = request.get("id")
            handler = self._answers.get(str(request.get("op")))
            if handler is None:
                raise BadRequest(f"unknown op {request.get('op')!r}; known are {', '.join(sorted(self._answers))}")
            self._expect(request)
            return {"id": number, "ok": True, "result": handler(request)}
        except Exception as error:
            if not isinstance(error, GraphRoomError):
                traceback.print_exc()
            return {
                "id": number,
                "ok": False,
                "error": {"type": type(error).__name__, "message": str(error)[:4000]},
            }

    @staticmethod
    def _expect(request: Request) -> None:
        """Have the capsule of a request loaded only as the doctor knows it, where it says so."""
        if request.get("seal") and request.get("capsule"):
            from .load import SEALS

            SEALS[str(Path(str(request["capsule"])).resolve())] = str(request["seal"])

    def hello(self, request: Request) -> dict[str, Any]:
        """{"tensorflow": true} imports it and tells its version."""
        version = None
        if request.get("tensorflow"):
            version = str(_tensorflow().__version__)
        return {
            "schema": WORKER_SCHEMA,
            "pid": os.getpid(),
            "python": platform.python_version(),
            "executable": sys.executable,
            "tensorflow": version,
        }

    def load(self, request: Request) -> dict[str, Any]:
        """What a capsule holds."""
        from .safety import unsafe_ops

        step, _ = self._step(request)
        program = step.program
        return {
            "name": program.name,
            "python_name": program.python_name,
            "xla": program.xla,
            "versions": dict(program.versions),
            "recipe": dict(program.recipe),
            "nodes": len(step.pure.graph.nodes),
            "filled": list(step.filled),
            "left_out": dict(step.left_out),
            "unsafe_ops": unsafe_ops(program),
        }

    def shapes(self, request: Request) -> dict[str, Any]:
        """`shapes.runtime_shapes` of {"capsule", "wanted"}."""
        from .shapes import runtime_shapes

        step, frames = self._step(request)
        return runtime_shapes(step, _field(request, "wanted"), frames)

    def birth(self, request: Request) -> dict[str, Any] | None:
        """`birth.birth` of {"capsule", "graph", "tensor", "path", "axis", "known"}."""
        from .birth import birth

        step, frames = self._step(request)
        return birth(
            step,
            str(_field(request, "graph")),
            str(_field(request, "tensor")),
            list(_field(request, "path")),
            int(_field(request, "axis")),
            list(request.get("known", ())),
            frames,
        )

    def rows_birth(self, request: Request) -> dict[str, Any] | None:
        """`birth.rows_birth` of {"capsule", "batch"}."""
        from .birth import rows_birth

        step, frames = self._step(request)
        return rows_birth(step, int(_field(request, "batch")), frames)

    def failing_op(self, request: Request) -> dict[str, Any] | None:
        """`failing.failing_op` of {"capsule"}."""
        from .failing import failing_op

        step, frames = self._step(request)
        before = frames.machine.runs
        found = failing_op(step, frames)
        if found is not None:
            found.update(runs=frames.machine.runs - before, ops=len(step.pure.graph.nodes))
        return found

    def run(self, request: Request) -> dict[str, Any]:
        """The outcome of the whole step; {"jit": true} runs it as one XLA program."""
        from .outcome import run_plain, run_xla

        if request.get("jit"):
            return run_xla(self._step(request, xla=True)[0])[0]
        return run_plain(*self._step(request))[0]

    def compare(self, request: Request) -> dict[str, Any]:
        """The step plainly and as one XLA program: {"plain", "xla" (outcomes), "outputs": `outcome.compare`}."""
        from .outcome import compare, run_plain, run_xla

        plain, plain_values = run_plain(*self._step(request))
        xla, xla_values = run_xla(self._step(request, xla=True)[0])
        return {"plain": plain, "xla": xla, "outputs": compare(plain_values, xla_values)}

    def lower(self, request: Request) -> dict[str, Any]:
        """{"hlo": text} for {"platform": "cpu" or "gpu", "stage": "hlo"}; {"error"} if TensorFlow refuses it."""
        from .outcome import lowered, traced_otherwise

        step, _ = self._step(request, xla=True)
        try:
            text = lowered(step, platform=request.get("platform", "cpu"), stage=request.get("stage", "hlo"))
        except Exception as error:
            if isinstance(error, GraphRoomError):
                raise
            told = {"kind": type(error).__name__, "message": str(error)[:4000]}
            return {"hlo": None, "error": told, "note": traced_otherwise(step)}
        return {"hlo": text, "error": None, "note": traced_otherwise(step)}

    def prefixes(self, request: Request) -> dict[str, Any]:
        """`prefixes.answer` of "outline" {"list"}, "prefix" {"ops", "stage", "save"}, "spot" {"ops"} or
        "origins" {"ops", "inputs"}.
        """
        from .prefixes import answer

        return answer(self._step(request, xla=True)[0], request, self._prefixes)

    def core(self, request: Request) -> Any:
        """`repro.Core`: "reduce", "script" or "values" of {"ops"}; without it the script of what fails plainly, or with
        {"way"} while a callable is traced so.
        """
        from .prefixes import prefixes_of
        from .repro import Core, script_of_run, script_of_trace

        if request.get("way") is not None:
            _tensorflow()
            return script_of_trace(request)
        if request.get("ops") is None:
            return script_of_run(*self._step(request), request)
        number, prefixes = int(request["ops"]), prefixes_of(self._step(request, xla=True)[0], self._prefixes)
        if self._core is None or self._core[0] is not prefixes or self._core[1].number != number:
            self._core = (prefixes, Core(prefixes, number, request.get("batch")))
        core = self._core[1]
        if request["op"] == "values":
            return core.values([(str(f), str(t)) for f, t in _field(request, "tensors")])
        return core.script(request) if request["op"] == "script" else core.reduce(request)

    def silent(self, request: Request) -> Any:
        """`silent.Silent`: {"what": "list", "reduce" or "script"} of {"capsule", "batch", "test", "output", "node"}."""
        _field(request, "capsule")
        _tensorflow()
        from .pair import Pair
        from .silent import Silent

        kind = Pair if dict(_field(request, "test")).get("kind") == "pair" else Silent
        key = json.dumps([request.get(k) for k in ("capsule", "batch", "test", "output", "node", "values", "foreign")])
        if self._silent is None or self._silent[0] != key:
            if self._silent is not None:
                self._silent[1].close()
                self._silent = None
            self._silent = (key, kind(request))
        found = self._silent[1]
        if request.get("what") == "list":
            return found.listed()
        return found.script(request) if request.get("what") == "script" else found.reduce(request)

    def lowered_for(self, request: Request) -> dict[str, Any]:
        """`lowering.lowered_for` of {"capsule", "batch", "platform"}."""
        _field(request, "capsule")
        _tensorflow()
        from .lowering import lowered_for

        return lowered_for(request)

    def sources(self, request: Request) -> dict[str, list[dict[str, Any]]]:
        """{node: [{"function", "frames"}, ...]} for {"nodes": names as in a library function, e.g. in HLO metadata}."""
        step, _ = self._step(request)
        return {str(node): step.program.find(str(node)) for node in _field(request, "nodes")}

    def memory(self, request: Request) -> dict[str, Any]:
        """`memory.needed` of {"capsule", "batch"}."""
        from .memory import needed

        return needed(self._step(request)[0])

    def digest(self, request: Request) -> dict[str, Any]:
        """`digest.digest` of {"capsule"}."""
        _tensorflow()
        from .digest import digest
        from .load import load

        return digest(load(Path(_field(request, "capsule")).resolve()))

    def judged(self, request: Request) -> dict[str, Any]:
        """`doubled.judged` of {"capsule", "other"}, two folders."""
        _tensorflow()
        from .doubled import judged

        return judged(Path(_field(request, "capsule")).resolve(), Path(_field(request, "other")).resolve())

    def attempt(self, request: Request) -> dict[str, Any]:
        """`attempt.attempt` of {"capsule", "batch", "way"}: one of many sizes, all of which share what was prepared."""
        _tensorflow()
        from .attempt import attempt

        return attempt(request)

    def remade(self, request: Request) -> dict[str, Any]:
        """`remade.remade` of {"type", "attributes", "inputs", "eager"}."""
        _field(request, "type")
        _tensorflow()
        from .remade import remade

        return remade(request)

    def parity(self, request: Request) -> dict[str, Any]:
        """`parity_answers.Kept.answer` of {"capsule", "batch", "what": "ways", "rows" or "node"}."""
        _field(request, "capsule")
        return self._ways().answer(request)

    def agreement(self, request: Request) -> dict[str, Any]:
        """`agreement.agreement` of {"capsule", "whole"}; `agreement.later` where {"later"} says for how long."""
        from .agreement import agreement, later

        folder = Path(str(_field(request, "capsule")))
        if request.get("later") is not None:
            return later(folder, float(request["later"]), foreign=bool(request.get("foreign")))
        return agreement(folder, foreign=bool(request.get("foreign")), whole=bool(request.get("whole")))

    def pairing(self, request: Request) -> dict[str, Any]:
        """`pairing.pairing` of {"capsule", "sizes", "by_row"}."""
        _tensorflow()
        from .pairing import pairing

        folder = Path(str(_field(request, "capsule")))
        asked = {"foreign": bool(request.get("foreign")), "by_row": bool(request.get("by_row"))}
        return pairing(folder, sizes=request.get("sizes") or (), **asked)

    def parity_call(self, request: Request) -> dict[str, Any]:
        """`call_parity.answer` of {"subject", "batch", "folder"}."""
        _field(request, "folder")
        kept = self._ways()
        from .call_parity import answer

        return answer(request, kept)

    def remedy(self, request: Request) -> dict[str, Any]:
        """`remedies.Remedies.apply` of {"capsule", "batch", "way", "apply"}."""
        _field(request, "capsule")
        _field(request, "apply")
        return self._ways().remedy(request)

    def _ways(self) -> Kept:
        _tensorflow()
        from .parity_answers import Kept

        if self._parity is None:
            self._parity = Kept()
        return self._parity

    def facts(self, request: Request) -> dict[str, Any]:
        """`attempt.facts` of {"capsule"}: what decides which sizes can be tried."""
        _tensorflow()
        from .attempt import facts

        return facts(request)

    def describe(self, request: Request) -> dict[str, Any]:
        """`callables.describe` of {"subject": "module:callable"}."""
        _tensorflow()
        from .callables import describe

        return describe(request)

    def call(self, request: Request) -> dict[str, Any]:
        """`traced.Callables.call` of {"subject", "batch", "way"}."""
        _tensorflow()
        from .traced import Callables

        if self._callables is None:
            self._callables = Callables()
        return self._callables.call(request)

    def capture(self, request: Request) -> dict[str, Any]:
        """`callables.capture` of {"subject", "batch", "folder"}."""
        _tensorflow()
        from .callables import capture

        return capture(request)

    def written(self, request: Request) -> dict[str, str]:
        """`callables.settings_written` of {"subject", "batch"}."""
        _tensorflow()
        from .callables import settings_written

        return settings_written(request)

    def settings_read(self, request: Request) -> list[str] | None:
        """`callables.settings_read` of {"subject", "batch"}."""
        _tensorflow()
        from .callables import settings_read

        return settings_read(request)

    def halted(self, request: Request) -> dict[str, Any] | None:
        """`halted.halted` of {"subject", "batch", "way"}."""
        _tensorflow()
        from .halted import halted

        return halted(request)

    def baked(self, request: Request) -> list[dict[str, Any]]:
        """`baked.baked` of {"capsule", "table"}, each with "recompiles" where that could be tried."""
        from .baked import baked, recompiles

        step, _ = self._step(request)
        found = baked(step.program, _field(request, "table"))
        for row in found[:3]:
            inputs = [g["input"] for g in row["from"] if g.get("input")]
            if step.program.xla and inputs:
                row["recompiles"] = recompiles(self._step(request, xla=True)[0], inputs[0])
        return found

    def _step(self, request: Request, *, xla: bool = False) -> tuple[Step, Frames]:
        """The capsule of a request, prepared; the last few are kept."""
        _tensorflow()
        from .load import load, without_values
        from .step import new_frames, prepare

        batch, static, foreign = request.get("batch"), bool(request.get("static")), bool(request.get("foreign"))
        folder = Path(_field(request, "capsule")).resolve()
        values = bool(request.get("values", True))
        key = (str(folder), batch, static, foreign, xla, values)
        if key not in self._steps:
            program = load(folder) if values else without_values(load(folder))
            step = prepare(program, batch=batch, static=static, foreign=foreign, calls=not xla, strict=xla)
            while len(self._steps) >= _KEPT:
                _, old = self._steps.pop(next(iter(self._steps)))
                old.machine.close()
            self._steps[key] = (step, new_frames())
        return self._steps[key]


def _field(request: Request, name: str) -> Any:
    if name not in request:
        raise BadRequest(f"{request.get('op')} needs {name!r}")
    return request[name]


def _tensorflow() -> Any:
    """TensorFlow, on the processor only: capsules are evaluated by value, and a GPU of the host may be in
    use.
    """
    first = "tensorflow" not in sys.modules
    import tensorflow as tf

    if first:
        tf.config.set_visible_devices([], "GPU")
    return tf
