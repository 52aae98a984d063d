"""The functions of a step that asked for XLA, compiled on the values that they get; the rest of it runs plainly.

That is how a program runs whose step was no XLA program as a whole: Keras' `fit` with jit_compile=True compiles the
function that its own function calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import compiled
from .errors import GraphRoomError, Unsupported
from .evaluate import Activation, Frames
from .handles import empty_resources
from .ir import Graph, Node, Region, body_names, split
from .machine import Handle
from .measure import Results
from .optionals import unwrap
from .outcome import outcome_of, results_of
from .step import Step
from .transform import cut_name, truncate

_NO_VALUE = (20, 21)  # resource, variant


class Parts:
    """The parts of one graph that asked for XLA; what was compiled of them is kept. The tensors of `cut` are computed
    plainly, and given to the parts in which they stand.
    """

    def __init__(self, cut: Sequence[str] = ()) -> None:
        self._cut = list(cut)
        self._compiled: dict[tuple[str, ...], tuple[Any, list[str]]] = {}
        self._borders: dict[tuple[str, ...], tuple[list[str], list[str]]] = {}

    def compile(self, step: Step, activation: Activation, twice: bool = True) -> dict[str, Any]:
        """What the parts add to the outcome of a step that passed plainly: {} without any; an "error" where one fails,
        a "note" where one cannot be tried. What each gives takes the place of its plain values in the activation.
        `twice`: each is run a second time, to tell how long its compilation took.
        """
        graph = step.pure.graph
        regions = outermost(graph)
        compilations = 0
        seconds = 0.0
        activation.fetch(self._cut)
        for region in regions:
            if region.path not in self._borders:
                self._borders[region.path] = _border(step, region, self._cut)
            inputs, outputs = self._borders[region.path]
            activation.fetch(inputs)
            given = {t: activation.values[t] for t in inputs if t in activation.values}
            where = "/".join(region.path)
            if len(given) < len(inputs) or any(isinstance(v, Handle) for v in given.values()):
                return {"note": f"{where} was not tried under XLA: not all of its inputs are known"}
            try:
                function, names = self._part(graph, region, inputs, outputs)
                arguments = {cut_name(t): v for t, v in given.items()}
                arguments.update(step.arguments)
                empty = empty_resources(graph, [n for n in names if f"{n}:0" not in arguments])
                values = compiled.values_of({**arguments, **empty}, names)
            except GraphRoomError as error:
                return {"note": f"{where} was not tried under XLA: {error}"}
            told, results = called({t: t for t in outputs}, function, values, twice)
            compilations += 1
            seconds += told.get("compile_seconds") or 0.0
            if told["outcome"] != "passed":
                return {
                    "outcome": told["outcome"],
                    "error": told["error"],
                    "compilations": compilations,
                    "way": f"xla: {where}",
                }
            if empty:
                return {"note": f"{where} was not tried under XLA: the content of a resource was not kept"}
            activation.values.update(results)
        if not regions:
            return {}
        return {"compilations": compilations, "compile_seconds": round(seconds, 6), "way": "xla in parts"}

    def run(self, step: Step, frames: Frames) -> tuple[dict[str, Any], Results]:
        """The outcome and the results of the whole step, its parts under XLA.

        Raises:
            Unsupported: a part cannot be tried under XLA, so how the step as it was recorded ends is not known.
        """
        activation = step.activation(frames)
        told = self.compile(step, activation, twice=False)
        if "note" in told:
            raise Unsupported(str(told["note"]))
        if told.get("error"):
            return told, {}
        wanted = results_of(step)

        def run() -> Mapping[str, Any]:
            activation.fetch(list(wanted.values()), step.pure.graph.controls)
            return activation.values

        return outcome_of(wanted, run)

    def _part(self, graph: Graph, region: Region, inputs: list[str], outputs: list[str]) -> tuple[Any, list[str]]:
        if region.path not in self._compiled:
            part = truncate(alone(graph, region), outputs, cut=inputs)
            self._compiled[region.path] = compiled.function_of(unwrap(part))
        return self._compiled[region.path]


def outermost(graph: Graph) -> list[Region]:
    """The calls that asked for XLA and are not within another one."""
    asked = [r for r in graph.regions if r.xla]
    paths = {r.path for r in asked}
    return [r for r in asked if not any(r.path[:n] in paths for n in range(1, len(r.path)))]


def in_bodies(graph: Graph) -> bool:
    """Whether anything asked for XLA within a loop or a branch that is not itself within such a call."""
    paths = [r.path for r in outermost(graph)]
    used = {
        body
        for name, node in graph.nodes.items()
        if name in graph.origins and not any(graph.origins[name].path[: len(p)] == p for p in paths)
        for body in body_names(node)
    }
    bodies = [graph.bodies[b] for b in used if b in graph.bodies]
    return any(outermost(body) or in_bodies(body) for body in bodies)


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


def called(
    wanted: Mapping[str, str], function: Any, values: list[Any], twice: bool = True
) -> tuple[dict[str, Any], Results]:
    """The outcome of a compiled call, and of a second one (`twice`) for its time; the arrays that it gave."""

    def run() -> Mapping[str, Any]:
        return dict(zip(wanted.values(), map(np.asarray, function(*values)), strict=True))

    told, results = outcome_of(wanted, run)
    told["compilations"] = 1
    if twice and told["outcome"] == "passed":
        again, _ = outcome_of(wanted, run)
        told["run_seconds"] = again["seconds"]
        told["compile_seconds"] = round(max(0.0, told["seconds"] - again["seconds"]), 6)
    return told, results


def _border(step: Step, region: Region, cut: Sequence[str]) -> tuple[list[str], list[str]]:
    """(what a call gets, what it gives), values of variables included: these are no arguments of the call."""
    graph = step.pure.graph
    depth = len(region.path)
    inside = {n for n, origin in graph.origins.items() if n in graph.nodes and origin.path[:depth] == region.path}
    fed = {i.name for i in graph.inputs}
    read = [t for n in inside for t in graph.nodes[n].inputs if split(t)[0] not in inside | fed]
    used = [t for n, node in graph.nodes.items() if n not in inside for t in node.inputs]
    given = [t for t in (*used, *results_of(step).values()) if split(t)[0] in inside]
    got = [*region.arguments, *sorted(read), *(t for t in cut if split(t)[0] in inside)]
    return _valued(graph, got), [t for t in _valued(graph, (*region.results, *given)) if t not in cut]


def _valued(graph: Graph, tensors: Iterable[str]) -> list[str]:
    return [t for t in dict.fromkeys(tensors) if graph.dtype(t) not in _NO_VALUE]
