"""Run-time shapes: what the tensors of a Python-level graph were at each of its occurrences in a step.

An occurrence is a call path to a library function that was made from the graph. Branches that were not
taken did not execute; a loop body occurs once an iteration; beyond an op that fails, what depends on it has
failed too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .evaluate import Activation, Frames
from .ir import CONTROL_FLOW, IFS, Graph, body_names, split
from .machine import Handle, Value
from .step import Step, new_frames

RECORDED_ITERATIONS = 64
MAX_ITERATIONS = 100_000


@dataclasses.dataclass(frozen=True)
class Wanted:
    """Tensors ("node:output", named as in Python) of one Python-level graph."""

    id: str
    graph: str
    tensors: tuple[str, ...]


def runtime_shapes(step: Step, wanted: Sequence[Mapping[str, Any]], frames: Frames | None = None) -> dict[str, Any]:
    """The occurrences of each wanted graph, with shapes.

    `wanted` is a list of {"id", "graph": uid, "tensors": ["node:0", ...]}. The result:

    {"occurrences": {id: [{"path", "function", "order", "iteration", "iterations", "state", "shapes", "dtypes",
                           "missing", "positions"}, ...]},
     "failed": [{"path", "node", "kind", "message"}, ...], "filled": [names of inputs with random values],
     "notes": [...]}

    `state` is executed, not-executed (a branch that was not taken, a loop that did not run), failed, or
    unknown (no value to start from; `missing` gives the reason). With "failed", `shapes` has the tensors
    that were still computed.
    """
    requests = [Wanted(str(w["id"]), str(w["graph"]), tuple(w["tensors"])) for w in wanted]
    walk = _Walk(step, requests)
    own = frames or new_frames()
    walk.frame(step.activation(own), (), (), ())
    found: dict[str, list[dict[str, Any]]] = {w.id: [] for w in requests}
    for identity, row in walk.rows:
        found[identity].append(row)
    for rows in found.values():
        rows.sort(key=lambda r: r["order"])
    return {"occurrences": found, "failed": walk.failures, "filled": list(step.filled), "notes": walk.notes}


class _Walk:
    def __init__(self, step: Step, wanted: Sequence[Wanted]) -> None:
        self.step = step
        self.wanted: dict[str, list[Wanted]] = {}
        for request in wanted:
            functions = list(step.program.graphs.get(request.graph, ()))
            if request.graph == step.program.uid:
                functions.append("")
            for function in functions:
                self.wanted.setdefault(function, []).append(request)
        self.rows: list[tuple[str, dict[str, Any]]] = []
        self.failures: list[dict[str, Any]] = []
        self.notes: list[str] = []
        self._interesting: dict[int, bool] = {}

    # -- which occurrences a graph holds
    # ----------------------------------------------------------------------

    def places(self, graph: Graph) -> Iterator[tuple[tuple[str, ...], str, tuple[int, ...], Wanted]]:
        """(path, function, order, request) of the occurrences at this level of a frame."""
        for request in self.wanted.get(graph.name, ()):
            yield (), graph.name, (), request
        for region in graph.regions:
            for request in self.wanted.get(region.function, ()):
                yield region.path, region.function, region.order, request

    def is_interesting(self, graph: Graph) -> bool:
        """Whether anything that is wanted occurs in this frame or below."""
        key = id(graph)
        if key not in self._interesting:
            self._interesting[key] = False  # functional control flow cannot recurse into itself without a call
            self._interesting[key] = any(True for _ in self.places(graph)) or any(
                self.is_interesting(graph.bodies[b]) for n in graph.nodes.values() for b in body_names(n)
            )
        return self._interesting[key]

    def flows(self, graph: Graph) -> list[str]:
        """Control flow nodes with something interesting inside."""
        return [
            name
            for name, node in graph.nodes.items()
            if node.op in CONTROL_FLOW and any(self.is_interesting(graph.bodies[b]) for b in body_names(node))
        ]

    # -- walking
    # ----------------------------------------------------------------------------------------------

    def frame(
        self,
        activation: Activation,
        path: tuple[str, ...],
        order: tuple[int, ...],
        iterations: tuple[int, ...],
    ) -> None:
        """Record what occurs in one activation, then go into its control flow."""
        graph = activation.graph
        places = [
            (place, function, here, request, {t: graph.tensor(place, t) for t in request.tensors})
            for place, function, here, request in self.places(graph)
        ]
        flows = self.flows(graph)
        needed = [t for *_, tensors in places for t in tensors.values() if t is not None]
        needed = [t for t in needed if not activation.loaded.is_opaque(t)]
        needed += [t for name in flows for t in graph.nodes[name].inputs]
        activation.compute(list(dict.fromkeys(needed)))
        for place, function, here, request, tensors in places:
            self.record(activation, request, (*path, *place), function, order, here, iterations, tensors)
        for name in flows:
            origin = graph.origins[name]
            inside, position = (*path, *origin.path, origin.node), (*order, *origin.order)
            if graph.nodes[name].op in IFS:
                self.branches(activation, name, inside, position, iterations)
            else:
                self.loop(activation, name, inside, position, iterations)
        self.note_failures(activation, path, iterations)

    def note_failures(self, activation: Activation, path: tuple[str, ...], iterations: tuple[int, ...]) -> None:
        """Put the culprits of an activation on the list (each once)."""
        for culprit in activation.culprits:
            origin = activation.graph.origins[culprit.node]
            failure = {
                "path": [*path, *origin.path],
                "node": origin.node,
                "iterations": list(iterations),
                "kind": culprit.kind,
                "message": culprit.message[:2000],
            }
            if failure not in self.failures:
                self.failures.append(failure)

    def branches(
        self,
        outer: Activation,
        name: str,
        path: tuple[str, ...],
        order: tuple[int, ...],
        iterations: tuple[int, ...],
    ) -> None:
        node = outer.graph.nodes[name]
        taken = outer.branch(name)
        for number, body in enumerate(body_names(node)):
            graph = outer.graph.bodies[body]
            if not self.is_interesting(graph):
                continue
            if taken is not None and number == taken[0]:
                self.frame(taken[1], path, (*order, number), iterations)
            else:
                why = "not-executed" if taken is not None else outer.state(f"{name}:0")
                self.absent(graph, path, (*order, number), iterations, why)

    def loop(
        self,
        outer: Activation,
        name: str,
        path: tuple[str, ...],
        order: tuple[int, ...],
        iterations: tuple[int, ...],
    ) -> None:
        condition, body = body_names(outer.graph.nodes[name])
        values = outer.loop_start(name)
        if values is None:
            self.absent(outer.graph.bodies[body], path, order, iterations, outer.state(f"{name}:0"))
            return
        late: list[tuple[str, dict[str, Any]]] = []
        number = 0
        while number < MAX_ITERATIONS:
            here, round_ = (*order, number), (*iterations, number)
            kept = len(self.rows)
            question = outer.enter(condition, values)
            if self.is_interesting(question.graph):
                self.frame(question, path, (*here, 0), round_)
            question.compute(question.graph.outputs)
            self.note_failures(question, path, round_)
            answer = question.values.get(question.graph.outputs[0])
            if answer is None or not np.asarray(answer).any():
                break
            inner = outer.enter(body, values)
            self.frame(inner, path, (*here, 1), round_)
            inner.compute(inner.graph.outputs)
            self.note_failures(inner, path, round_)
            late, self.rows = self.bounded(number, kept, late)
            if any(t not in inner.values for t in inner.graph.outputs):
                break
            values = [inner.values[t] for t in inner.graph.outputs]
            number += 1
        if number == 0 and not any(r["path"][: len(path)] == list(path) for _, r in self.rows):
            self.absent(outer.graph.bodies[body], path, order, iterations, "not-executed")
        self.rows.extend(late)
        if number > RECORDED_ITERATIONS:
            self.notes.append(
                f"{'/'.join(path)}: {number} iterations; recorded are the first {RECORDED_ITERATIONS} and the last"
            )

    def bounded(
        self, number: int, kept: int, late: list[tuple[str, dict[str, Any]]]
    ) -> tuple[list[tuple[str, dict[str, Any]]], list[tuple[str, dict[str, Any]]]]:
        """(rows of the last iteration, if it is beyond the bound; the rows to keep)."""
        if number < RECORDED_ITERATIONS:
            return late, self.rows
        return self.rows[kept:], self.rows[:kept]

    def record(
        self,
        activation: Activation,
        request: Wanted,
        path: tuple[str, ...],
        function: str,
        order: tuple[int, ...],
        here: tuple[int, ...],
        iterations: tuple[int, ...],
        tensors: Mapping[str, str | None],
    ) -> None:
        shapes: dict[str, list[int]] = {}
        dtypes: dict[str, str] = {}
        missing: dict[str, str] = {}
        states = set()
        for tensor, flat in tensors.items():
            if flat is None:
                missing[tensor] = "no such tensor in the library function"
                continue
            value = activation.values.get(flat)
            if value is not None and not isinstance(value, Handle):
                shapes[tensor], dtypes[tensor] = _shape(value), str(np.asarray(value).dtype)
                states.add("executed")
            elif activation.loaded.is_opaque(flat):
                missing[tensor] = "a tensor without a shape (resource or variant)"
            else:
                states.add(activation.state(flat))
                missing[tensor] = activation.unavailable.get(split(flat)[0], activation.state(flat))
        state = next(
            (s for s in ("failed", "unknown", "executed") if s in states),
            "unknown" if missing else "executed",
        )
        row = _row(path, function, (*order, *here), iterations, state)
        row.update(shapes=shapes, dtypes=dtypes, missing=missing)
        row["positions"] = _positions(activation.graph, tensors, order)
        self.rows.append((request.id, row))

    def absent(
        self,
        graph: Graph,
        path: tuple[str, ...],
        order: tuple[int, ...],
        iterations: tuple[int, ...],
        state: str,
    ) -> None:
        """Rows for everything wanted in a body that was not entered."""
        for place, function, here, request in self.places(graph):
            row = _row((*path, *place), function, (*order, *here), iterations, state)
            tensors = {t: graph.tensor(place, t) for t in request.tensors}
            row["positions"] = _positions(graph, tensors, order)
            self.rows.append((request.id, row))
        for name in self.flows(graph):
            origin = graph.origins[name]
            for number, body in enumerate(body_names(graph.nodes[name])):
                inside, position = (*path, *origin.path, origin.node), (*order, *origin.order, number)
                self.absent(graph.bodies[body], inside, position, iterations, state)


def _shape(value: Value) -> list[int]:
    return [int(n) for n in np.asarray(value).shape]


def _positions(graph: Graph, tensors: Mapping[str, str | None], order: tuple[int, ...]) -> dict[str, list[int]]:
    """The place of each tensor's own node in program order: what puts two places within one function in order."""
    return {
        tensor: [*order, *graph.origins[split(flat)[0]].order] for tensor, flat in tensors.items() if flat is not None
    }


def _row(
    path: tuple[str, ...],
    function: str,
    order: tuple[int, ...],
    iterations: tuple[int, ...],
    state: str,
) -> dict[str, Any]:
    return {
        "path": list(path),
        "function": function,
        "order": list(order),
        "iteration": iterations[-1] if iterations else None,
        "iterations": list(iterations),
        "state": state,
        "shapes": {},
        "dtypes": {},
        "missing": {},
        "positions": {},
    }
