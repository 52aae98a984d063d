"""The first op that fails: by running the step plainly, or by compiling ever fewer of its first ops.

A step that was one XLA program is taken to XLA first, any other is run plainly first; the other way follows where the
first shows nothing.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from xladoctor.diagnosis.blame import RUN_TIME
from xladoctor.diagnosis.facts import is_user_file
from xladoctor.experiments import chain as chains
from xladoctor.experiments.bisect import Found, Try, first_failing
from xladoctor.model.ops import forward_scopes, layer_of
from xladoctor.model.replay import Case, Isolation, Link, Signature, ValueOrigin
from xladoctor.protocol import answers, codec, requests
from xladoctor.workers.bench import Answer, Bench
from xladoctor.workers.classify import signature

_CONSTANT = "compile-time-constant"
_INPUT = re.compile(r"Input (\d{1,4}) to node")
_STAGES: tuple[requests.Stage, ...] = ("hlo", "optimized_hlo")
# What is looked for is refused before machine code is made; making it well would take most of the time.
_FAST = ("env:XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")


def isolate(bench: Bench, case: Case, wanted: Signature | None = None) -> Isolation | None:
    """The first op with which the subject fails in this case; None where it does not fail.

    `wanted` is the failure that is meant where the subject has several; without it, the one that comes first.
    """
    jit = dict(case.vary).get("jit")
    told = bench.ask(requests.CountOps(), case)
    if bench.subject.kind == "callable" and told.state == "refused":
        return _tracing(bench, case, jit)
    compiled = jit == "on" or (jit != "off" and told.ok and told.result.xla)
    if compiled:
        return _compiling(bench, case, told, wanted) or _running(bench, case)
    found = _running(bench, case)
    if found is not None or jit == "off" or not (told.ok and told.result.asks):
        return found
    # Only a function in it asked for XLA: what fails outside of it fails for the doctor alone.
    return _compiling(bench, case, told, wanted, asked=True)


def _tracing(bench: Bench, case: Case, jit: str | None) -> Isolation | None:
    """There is no graph: the op that TensorFlow refused to make, if that is what ended the trace."""
    started = time.monotonic()
    answer = bench.ask(requests.FindRefusedOp(way="xla" if jit == "on" else "graph"), case)
    if not answer.ok or answer.result is None:
        return None
    op = answer.result
    user = [f for f in op.where if is_user_file(f[0])]
    return replace(
        _failed(op, "trace", started),
        ops=op.ops,
        layer=layer_of((), op.node),
        location=location(user),
    )


def _running(bench: Bench, case: Case) -> Isolation | None:
    """By running it with the graph optimizer off: each op whose inputs are known is run by itself."""
    bench.say("isolating: running the step op by op where it fails")
    started = time.monotonic()
    answer = bench.ask(requests.FindFailingOp(), case)
    if not answer.ok or answer.result is None:
        return None
    op = answer.result
    return replace(
        _failed(op, "run", started),
        ops=op.ops,
        tries=op.runs or 1,
        path=op.path,
        layer=_layer(op),
        location=location(op.sources, op.call_sources),
    )


def _failed(op: answers.FailingOp | answers.RefusedOp, mode: Literal["run", "trace"], started: float) -> Isolation:
    """What a worker tells of an op that failed without XLA; where it stands is told in another way for each mode."""
    return Isolation(
        op=op.op,
        node=op.node,
        inputs=tuple(_kept(i) for i in op.inputs),
        signature=signature(op.kind, op.message, op.op),
        message=op.message,
        mode=mode,
        ops=0,
        tries=1,
        compilations=0,
        seconds=round(time.monotonic() - started, 3),
    )


def _compiling(
    bench: Bench, case: Case, told: Answer[answers.Outline], wanted: Signature | None, asked: bool = False
) -> Isolation | None:
    if not told.ok:
        bench.say(f"isolating under XLA is not possible: {told.message}")
        return None
    return _Compiling(bench, case, told.result.ops).found(wanted, asked)


class _Compiling:
    """One search by compiling. Each number of ops is compiled once."""

    def __init__(self, bench: Bench, case: Case, ops: int) -> None:
        self._bench = bench
        self._case = case
        self._ops = ops
        self._stage: requests.Stage = _STAGES[0]
        self._answers: dict[tuple[int, str], Answer[answers.Compiled]] = {}
        self._compilations = 0
        self._started = time.monotonic()

    def found(self, wanted: Signature | None, asked: bool) -> Isolation | None:
        """The isolation; with `asked` only of an op within a function that asked for XLA."""
        found = Found(None, None, 0)
        for self._stage in _STAGES:
            # What cannot be put before XLA as a whole may fail in a part of it, and only in a later stage.
            if self._attempt(self._ops) is not None:
                found = first_failing(self._attempt, self._ops, wanted)
            if found.number is not None:
                break
        else:
            if found.note:
                self._bench.say(f"isolating under XLA: {found.note}")
            return None
        spot = self._bench.ask(requests.DescribeOp(ops=found.number), self._case)
        if not spot.ok or (asked and not spot.result.xla):
            return None
        return self._isolation(found, spot.result)

    def _attempt(self, ops: int) -> Try:
        answer = self._ask(ops, self._stage)
        if not answer.ok:
            # The compiler ended the process, or did not end: that is how it fails.
            return "unknown" if answer.state == "refused" else Signature(answer.state, answer.signal)
        if answer.result.outcome == "unsupported":
            return "unknown"
        error = answer.result.error
        return None if error is None else signature(error.kind, error.message)

    def _ask(self, ops: int, stage: requests.Stage) -> Answer[answers.Compiled]:
        key = (ops, stage)
        if key not in self._answers:
            number = len(self._answers) + 1
            most = math.ceil(math.log2(max(self._ops, 2))) + len(_STAGES)
            self._bench.say(f"isolating: the first {ops} of {self._ops} ops (try {number} of about {most})")
            request = requests.CompilePrefix(ops=ops, stage=stage)
            self._answers[key] = self._bench.ask(request, quick(self._bench, self._case, stage))
            self._compilations += _compilations(self._answers[key])
        return self._answers[key]

    def _converted(self, number: int) -> int:
        """The most ops up to the failing one that TensorFlow can convert: what it refuses is not in any text."""
        if self._stage != _STAGES[0]:
            return number
        return max((ops for (ops, _), a in self._answers.items() if ops < number and _passed(a)), default=number - 1)

    def _text(self, ops: int) -> str | None:
        """HLO of the first ops, unoptimised."""
        if ops < 1:
            return None
        file: Path = self._bench.folder / f"prefix-{self._case.batch}-{ops}.hlo"
        answer = self._bench.ask(requests.CompilePrefix(ops=ops, stage="hlo", save=str(file)), self._case)
        self._compilations += _compilations(answer)
        self._answers[ops, "text"] = answer
        if not answer.ok or answer.result.outcome != "passed" or not file.is_file():
            return None
        return file.read_text(encoding="utf-8", errors="replace")

    def _isolation(self, found: Found, spot: answers.Spot) -> Isolation:
        from xladoctor.recording.hlo import read_hlo

        assert found.number is not None
        failed = self._answers[found.number, self._stage]
        message = failed.result.error.message if failed.ok and failed.result.error is not None else str(failed.message)
        text = self._text(self._converted(found.number))
        module = read_hlo(text or "")
        inputs = [
            i if i.shape is not None else replace(i, shape=_shape(chains.shape_of(module, i.node, i.op)))
            for i in spot.inputs
        ]
        way = self._way(module, found.signature, spot, message)
        links = self._located(way.links)
        origins = self._origins(found, message) if len(links) < 2 else ()
        # A value that is drawn or computed says more than that no bounded size leads to it.
        notes = [n for n in (None if origins else way.note, _others(found)) if n]
        return Isolation(
            op=spot.op,
            node=spot.node,
            inputs=tuple(_kept(i) for i in inputs),
            signature=found.signature,
            message=message,
            mode="xla",
            ops=self._ops,
            tries=len(self._answers),
            compilations=self._compilations,
            seconds=round(time.monotonic() - self._started, 3),
            path=spot.path,
            layer=_layer(spot),
            location=location(spot.sources, spot.call_sources),
            chain=links,
            number=found.number,
            stage=self._stage,
            note="; ".join(notes) or None,
            origins=origins,
        )

    def _origins(self, found: Found, message: str) -> tuple[ValueOrigin, ...]:
        """Where the value comes from that is no constant, of an op that needs one."""
        if found.signature is None or found.signature.slug != _CONSTANT:
            return ()
        named = _INPUT.search(message)
        inputs = (int(named[1]),) if named else ()
        assert found.number is not None
        answer = self._bench.ask(requests.FindValueOrigins(ops=found.number, inputs=inputs), self._case)
        if not answer.ok:
            return ()
        return tuple(
            ValueOrigin(o.kind, o.op, o.node, location(o.sources, o.call_sources)) for o in answer.result.origins
        )

    def _way(self, module: Any, failure: Signature | None, spot: answers.Spot, message: str) -> chains.Way:
        if failure is not None and failure.slug == _CONSTANT:
            end = Link(spot.op, spot.inner_node, "", "fails")
            return chains.size_of(module, [(i.node, i.op or "") for i in spot.inputs], end)
        if self._stage == "hlo":
            if failure is None or failure.slug not in RUN_TIME:
                return chains.Way(())
            forward = list(islice(forward_scopes(spot.inner_node), 1))
            taken = [(i.node, i.op or "") for i in spot.inputs]
            return chains.met(module, taken, forward, Link(spot.op, spot.inner_node, "", "fails"))
        return chains.chain(module, spot.inner_node, spot.op, message)

    def _located(self, links: Sequence[Link]) -> tuple[Link, ...]:
        nodes = [link.node for link in links if link.node]
        if not nodes:
            return tuple(links)
        answer = self._bench.ask(requests.FindSources(nodes=tuple(nodes)), self._case)
        return chains.located(links, answer.result) if answer.ok else tuple(links)


def quick(bench: Bench, case: Case, stage: requests.Stage) -> Case:
    """The case in a worker of its own for compiling all the way; one that varies XLA's flags keeps its own."""
    named = {name for name, _ in case.vary}
    if stage == _STAGES[0] or _FAST[0] in named or bench.subject.kind != "capsule":
        return case
    return replace(case, vary=(*case.vary, _FAST))


def location(sources: Sequence[Sequence[Any]], calls: Sequence[Sequence[Sequence[Any]]] = ()) -> str | None:
    """`file:line in function` of the innermost user frame; of the call around the op where it has none itself."""
    for frames in (sources, *reversed(calls)):
        if frames:
            file, line, function = frames[-1]
            return f"{file}:{line} in {function}"
    return None


def _kept(described: answers.Input) -> dict[str, Any]:
    told: dict[str, Any] = codec.to_json(described)
    return {k: told[k] for k in ("tensor", "node", "op", "shape", "dtype", "value") if k in told}


def _layer(op: answers.FailingOp | answers.Spot) -> str | None:
    return layer_of(op.path, op.inner_node)


def _shape(text: str | None) -> tuple[int | str, ...] | None:
    """`f32[<=8,4]` as ("<=8", 4)."""
    if text is None or text.startswith("("):
        return None
    dims = [d.strip() for d in text.partition("[")[2].partition("]")[0].split(",") if d.strip()]
    return tuple(int(d) if d.isdigit() else d for d in dims)


def _passed(answer: Answer[answers.Compiled]) -> bool:
    return answer.ok and answer.result.outcome == "passed"


def _compilations(answer: Answer[answers.Compiled]) -> int:
    return answer.result.compilations if answer.ok else 1


def _others(found: Found) -> str | None:
    if not found.others:
        return None
    ops, other = found.others[-1]
    return f"the first {ops} ops fail in another way: {other.slug}" + (f" ({other.op})" if other.op else "")
