"""One capsule at many batch sizes: it is loaded, flattened and imported once, and run on other rows.

What fails plainly is told so. What does not is then compiled where the recorded program had XLA: the whole step if it
was one XLA program, else each function that asked for XLA, on the values that it really gets.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from . import compiled
from .errors import GraphRoomError, Unsupported
from .ir import Graph, Node, Region, split
from .load import batch_of, load, without_values
from .machine import Handle
from .outcome import closed, outcome_of, results_of, run_plain, traced_otherwise
from .shapes import runtime_shapes
from .step import Step, new_frames, prepare, with_rows
from .transform import check_rows, truncate

_NO_VALUE = (20, 21)  # resource, variant


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
        self._compiled: dict[Any, Any] = {}

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

    def run(self, batch: int | None, way: str, wanted: list[dict[str, Any]]) -> dict[str, Any]:
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
        return self._regions(step)

    def _xla(self, batch: int | None) -> dict[str, Any]:
        if "step" not in self._compiled:
            step = prepare(self.program, foreign=self._foreign, calls=False, strict=True)
            graph = closed(step)
            self._compiled["step"] = (step, *compiled.function_of(graph))
        step, function, names = self._compiled["step"]
        step = step if batch is None else with_rows(step, batch)
        told = _called(results_of(step), function, compiled.values_of(step.arguments, names))
        return {**told, "way": "xla", "note": traced_otherwise(step)}

    def _regions(self, step: Step) -> dict[str, Any]:
        graph = step.pure.graph
        regions = outermost(graph)
        if not regions:
            return {}
        activation = step.activation(self._frames)
        compilations = 0
        seconds = 0.0
        for region in regions:
            inputs, outputs = _valued(graph, region.arguments), _valued(graph, region.results)
            activation.fetch(inputs)
            given = {t: activation.values[t] for t in inputs if t in activation.values}
            if len(given) < len(inputs) or any(isinstance(v, Handle) for v in given.values()):
                return {"note": f"{'/'.join(region.path)} was not tried under XLA: not all of its inputs are known"}
            try:
                function, names = self._region(graph, region, inputs, outputs)
                arguments = {f"{split(t)[0]}/__cut_{split(t)[1]}:0": v for t, v in given.items()}
                arguments.update(step.arguments)
                values = compiled.values_of(arguments, names)
            except Unsupported as error:
                return {"note": f"{'/'.join(region.path)} was not tried under XLA: {error}"}
            told = _called({f"result {i}": t for i, t in enumerate(outputs)}, function, values)
            compilations += 1
            seconds += told.get("compile_seconds") or 0.0
            if told["outcome"] != "passed":
                return {
                    "outcome": told["outcome"],
                    "error": told["error"],
                    "compilations": compilations,
                    "way": f"xla: {'/'.join(region.path)}",
                }
        return {"compilations": compilations, "compile_seconds": round(seconds, 6), "way": "xla in parts"}

    def _region(self, graph: Graph, region: Region, inputs: list[str], outputs: list[str]) -> tuple[Any, list[str]]:
        if region.path not in self._compiled:
            part = truncate(alone(graph, region), outputs, cut=inputs)
            self._compiled[region.path] = compiled.function_of(part)
        found: tuple[Any, list[str]] = self._compiled[region.path]
        return found


def outermost(graph: Graph) -> list[Region]:
    """The calls that asked for XLA and are not within another one."""
    asked = [r for r in graph.regions if r.xla]
    paths = {r.path for r in asked}
    return [r for r in asked if not any(r.path[:n] in paths for n in range(1, len(r.path)))]


def alone(graph: Graph, region: Region) -> Graph:
    """The graph in which nothing of a call waits for what stands outside of it."""
    depth = len(region.path)
    inside = {n for n, origin in graph.origins.items() if origin.path[:depth] == region.path}
    nodes = {
        name: Node(node.definition, node.inputs, tuple(c for c in node.controls if c in inside))
        if name in inside
        else node
        for name, node in graph.nodes.items()
    }
    return graph.replace(nodes=nodes)


def _valued(graph: Graph, tensors: tuple[str, ...]) -> list[str]:
    return [t for t in dict.fromkeys(tensors) if graph.dtype(t) not in _NO_VALUE]


def _called(wanted: Mapping[str, str], function: Any, values: list[Any]) -> dict[str, Any]:
    """The outcome of a compiled call, and of a second one for its time."""

    def run() -> Mapping[str, Any]:
        return dict(zip(wanted.values(), map(np.asarray, function(*values)), strict=True))

    told, _ = outcome_of(wanted, run)
    told["compilations"] = 1
    if told["outcome"] == "passed":
        again, _ = outcome_of(wanted, run)
        told["run_seconds"] = again["seconds"]
        told["compile_seconds"] = round(max(0.0, told["seconds"] - again["seconds"]), 6)
    return told


@functools.lru_cache(maxsize=2)
def attempts(folder: str, foreign: bool, values: bool) -> Attempts:
    """The last two capsules, kept ready."""
    return Attempts(Path(folder), foreign=foreign, values=values)


def facts(request: Mapping[str, Any]) -> dict[str, Any]:
    """{"batch": rows of the kept data, "fixed": the only number of rows that the graph takes, "xla", "nodes"}."""
    kept = _of(request)
    return {
        "batch": batch_of(kept.program),
        "fixed": kept.fixed(),
        "xla": kept.program.xla,
        "nodes": kept.nodes,
    }


def attempt(request: Mapping[str, Any]) -> dict[str, Any]:
    """`Attempts.run` of {"capsule", "batch", "way", "wanted", "foreign", "values"}."""
    kept = _of(request)
    told = kept.run(request.get("batch"), str(request.get("way") or "recorded"), list(request.get("wanted") or ()))
    return {**told, "filled": list(kept.filled), "batch": request.get("batch") or batch_of(kept.program)}


def _of(request: Mapping[str, Any]) -> Attempts:
    folder = str(Path(str(request["capsule"])).resolve())
    return attempts(folder, bool(request.get("foreign")), bool(request.get("values", True)))
