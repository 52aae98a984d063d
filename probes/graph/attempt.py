"""One capsule at many batch sizes: it is loaded, flattened and imported once, and run on other rows.

What fails plainly is told so. What does not is then compiled where the recorded program had XLA: the whole step if it
was one XLA program, else each function that asked for XLA, on the values that it really gets.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import compat_graph
from ..protocol.answers import Facts
from ..protocol.requests import OfCapsule, ReadFacts, TryBatch
from . import compiled
from .errors import GraphRoomError, Unsupported
from .handles import empty_resources
from .load import batch_of, load, without_values
from .outcome import closed, results_of, run_plain, traced_otherwise
from .parts import Parts, called
from .shapes import runtime_shapes
from .step import Step, new_frames, prepare, with_rows
from .transform import check_rows


class Attempts:
    """A capsule, ready to be run at any size."""

    def __init__(self, folder: Path, *, foreign: bool, values: bool) -> None:
        program = load(folder)
        self.program = program if values else without_values(program)
        self._foreign = foreign
        self._step = prepare(self.program, foreign=foreign)
        self._frames = new_frames()
        self.filled = self._step.filled
        """Inputs that get seeded noise, as the capsule does not hold their values."""
        self._whole: tuple[Step, Any, list[str]] | None = None
        self._parts = Parts()

    def close(self) -> None:
        """Give the memory of the session back."""
        self._frames.machine.close()

    @property
    def nodes(self) -> int:
        """How many ops the flat step has."""
        return len(self._step.pure.graph.nodes)

    def fixed(self) -> int | None:
        """The only number of rows that the graph takes; None where it leaves them open."""
        rows = batch_of(self.program)
        try:
            check_rows(self._step.pure.graph, rows + 1)
        except Unsupported:
            return rows
        return None

    def run(self, batch: int | None, way: str, wanted: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The outcome at this size (`outcome.run_plain`), `compilations`, and `shapes` of the places that are wanted.

        `way` is "plain", "xla" (the whole step as one XLA program) or "recorded".
        """
        step = self._step if batch is None else with_rows(self._step, batch)
        if way == "xla":
            return {**self._xla(batch), "shapes": None, "way": "xla"}
        told, _ = run_plain(step, self._frames)
        found: dict[str, Any] = {**told, "compilations": 0, "way": "plain", "run_seconds": told["seconds"]}
        found["shapes"] = runtime_shapes(step, wanted, self._frames) if wanted else None
        if told["outcome"] == "passed" and way == "recorded":
            found.update(self._as_recorded(step, batch))
        return found

    def _as_recorded(self, step: Step, batch: int | None) -> dict[str, Any]:
        """What the parts under XLA add to an outcome that passed plainly."""
        if self.program.xla:
            try:
                told = self._xla(batch)
            except GraphRoomError as error:
                return {"note": f"not tried under XLA: {error}"}
            kept = ("outcome", "error", "compilations", "compile_seconds", "run_seconds", "outputs", "way", "note")
            return {k: told[k] for k in kept if k in told}
        return self._parts.compile(step, step.activation(self._frames))

    def _xla(self, batch: int | None) -> dict[str, Any]:
        if self._whole is None:
            step = prepare(self.program, foreign=self._foreign, calls=False, strict=True)
            self._whole = (step, *compiled.function_of(closed(step)))
        step, function, names = self._whole
        step = step if batch is None else with_rows(step, batch)
        missing = [n for n in names if f"{n}:0" not in step.arguments]
        empty = empty_resources(step.pure.graph, missing)
        told, _ = called(results_of(step), function, compiled.values_of({**step.arguments, **empty}, names))
        if empty and told["outcome"] == "passed":
            raise Unsupported(f"input {missing[0]} is a resource whose content was not kept")
        return {**told, "way": "xla", "note": traced_otherwise(step)}


@functools.lru_cache(maxsize=2)
def attempts(folder: str, foreign: bool, values: bool) -> Attempts:
    """The last two capsules, kept ready."""
    return Attempts(Path(folder), foreign=foreign, values=values)


def facts(request: ReadFacts) -> Facts:
    """What decides which sizes of a capsule can be tried."""
    kept = _of(request)
    return Facts(batch=batch_of(kept.program), fixed=kept.fixed(), xla=kept.program.xla, nodes=kept.nodes)


def attempt(request: TryBatch) -> dict[str, Any]:
    """`Attempts.run`; with `deterministic` as after `enable_op_determinism`, prepared and compiled anew."""
    if request.deterministic:
        with compat_graph.deterministic_ops():
            fresh = Attempts(Path(request.capsule), foreign=request.foreign, values=True)
            try:
                return {**fresh.run(request.batch, "recorded", ()), "filled": list(fresh.filled)}
            finally:
                fresh.close()
    kept = _of(request)
    told = kept.run(request.batch, request.way, request.wanted)
    return {**told, "filled": list(kept.filled), "batch": request.batch or batch_of(kept.program)}


def _of(request: OfCapsule[Any]) -> Attempts:
    return attempts(str(Path(request.capsule).resolve()), request.foreign, request.values)
