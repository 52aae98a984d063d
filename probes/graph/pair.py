"""Two graphs that should compute the same, as one with two results: where they part, and what they have in common.

Made smaller, the results may become anything that differs. So besides the test each of them must go on being what it
was: only what does not matter for it falls away.
"""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..protocol.requests import OfSilent
from .errors import Unsupported
from .evaluate import Activation
from .ir import Graph, Node, body_names, rename, split
from .machine import Handle
from .measure import Array, deviation
from .outcome import results_of
from .parity import Ways
from .reduced import edited, tidy
from .sensitivity import floor
from .showing import WORSE, nothing, outputs_of, told_of
from .silent import Silent, of_data, of_edit, values_of
from .transform import truncate

_OTHER = "other/"
_SECONDS = 30.0
_NEARER = 0.75


class Pair(Silent):
    """The test {"kind": "pair", "other": capsule, "names": what the two are called}, in one output of both."""

    def __init__(self, request: OfSilent[Any]) -> None:
        self.values = request.values
        self.test = dict(request.test)
        folders = (request.capsule, str(self.test["other"]))
        self.ways, self._second = (
            Ways(Path(f), batch=request.batch, foreign=request.foreign, values=request.values) for f in folders
        )
        self.batched, self.batch, self.rows_of, self._constants = [], 0, {}, {}
        self.graph = self._joined(request.output)

    def close(self) -> None:
        """Give the memory back."""
        super().close()
        self._second.close()

    def listed(self) -> dict[str, Any]:
        """The same; only what both have in common can be an argument."""
        return {**super().listed(), "by_rows": sorted(self._common)}

    def edited(self, edits: Any) -> Graph:
        """The graph after edits; Unsupported where two arguments come from one input of the step.

        Of positions and of the same positions negated, the random numbers of a script would make two things that have
        nothing to do with each other: then also what is healthy would differ.
        """
        graph = super().edited(edits)
        from_: dict[str, str] = {}
        for item in graph.inputs:
            node = split(of_edit(item.name))[0]
            for source, reached in self._sources.items():
                if node in reached and from_.setdefault(source, item.name) != item.name:
                    raise Unsupported(f"{from_[source]} and {item.name} both come from {source}")
        return graph

    def shows(self, graph: Graph) -> dict[str, Any]:
        """Whether the results differ on the values of a script, and are on those of the step what they were there."""
        if len(graph.outputs) != 2 or not graph.inputs:
            return nothing("nothing is computed")
        try:
            kept = outputs_of(graph, self._arguments(graph))
            found = outputs_of(graph, self._sampled(graph))
        except ValueError as error:
            return nothing(str(error))
        if kept is None or found is None:
            return nothing("it does not pass")
        for value, wanted in zip(kept, self._wanted, strict=True):
            if value.shape != wanted.shape or deviation(value, wanted) > self._tolerance:
                return nothing("one of the two computes something else")
        return told_of(found[0], found[1], self._tolerance)

    def _joined(self, output: str) -> Graph:
        one, two = (results_of(w.step).get(output) for w in (self.ways, self._second))
        if one is None or two is None:
            raise Unsupported(f"{output} is not in both")
        first, second = self.ways.step.pure.graph, self._second.step.pure.graph
        seen, other = (values_of(w, [t], w.arguments) for w, t in ((self.ways, one), (self._second, two)))
        self._tolerance = WORSE * floor(seen[one], self.ways.arguments)
        a, b = next(self._parting(seen, other, one, two), (one, two))
        both = _merged(truncate(first, [a]), truncate(second, [b]), self._arguments_of_second())
        self.seen = {**{_OTHER + t: v for t, v in other.items()}, **seen}
        self._wanted = (seen[a], other[b])
        self.node = split(a)[0]
        same = _same(seen, other, self._tolerance)
        shared = [
            {"frame": "", "tensor": _OTHER + t, "to": "tensor", "with": s}
            for t, s in same.items()
            if split(s)[0] in both.nodes and _OTHER + split(t)[0] in both.nodes and t != b
        ]
        self._common = set(same.values())
        self._sources = {i.name: of_data(both, [f"{i.name}:0"]) for i in both.inputs}
        part = self._without_constants(tidy(edited(both, shared)))
        told = self.shows(part)
        if not told["shows"]:
            raise Unsupported(f"on the values that a script would have, the two do not differ so ({told.get('why')})")
        return part

    def _parting(
        self, seen: Mapping[str, Array], other: Mapping[str, Array], one: str, two: str
    ) -> Iterator[tuple[str, str]]:
        """Pairs of tensors that bear the difference: with the one in the place of the other the result comes nearer to
        that of the first graph, and nowhere goes away from it.
        """
        graph = self._second.step.pure.graph
        apart = np.abs(other[two] - seen[one])
        room = self._tolerance * float(np.abs(seen[one]).max())
        started = time.monotonic()
        # Those of one name first: they are most likely meant to be the same.
        named = [(a, a) for a in seen if a in other]
        alike = ((a, b) for a in seen for b in other if a != b)
        for a, b in itertools.chain(named, alike):
            value = seen[a]
            if value.dtype.kind not in "fc" or value.size < 2 or (value.shape, value.dtype) != _kind(other[b]):
                continue
            if deviation(value, other[b]) <= self._tolerance:
                continue
            if time.monotonic() - started > _SECONDS:
                return
            activation = Activation(self._second.frames, graph, {**self._second.arguments, b: value})
            activation.compute([two])
            found = activation.values.get(two)
            if found is None or isinstance(found, Handle):
                continue
            now = np.abs(np.asarray(found) - seen[one])
            if (now <= apart + room).all() and now.sum() < _NEARER * apart.sum():
                yield a, b

    def _arguments_of_second(self) -> dict[str, str]:
        """{input of the second graph: the input of the first one that is the same}."""
        mine = self.ways.arguments
        found = {}
        for name, value in self._second.arguments.items():
            same = [n for n, v in mine.items() if v.shape == value.shape and np.array_equal(v, value)]
            if not same:
                raise Unsupported(f"{name} is not the same in both")
            found[name] = name if name in same else same[0]
        return found


def _kind(value: Array) -> tuple[Any, Any]:
    return value.shape, value.dtype


def _same(seen: Mapping[str, Array], other: Mapping[str, Array], tolerance: float) -> dict[str, str]:
    """{tensor of the second: tensor of the first one with the same value}, where it is no mere number."""
    found = {}
    by_shape: dict[Any, list[str]] = {}
    for tensor, value in seen.items():
        by_shape.setdefault(_kind(value), []).append(tensor)
    for tensor, value in other.items():
        alike = by_shape.get(_kind(value), []) if value.size > 1 else []
        same = [t for t in alike if deviation(seen[t], value) <= (tolerance if value.dtype.kind in "fc" else 0.0)]
        if same:
            found[tensor] = tensor if tensor in same else same[0]
    return found


def _merged(first: Graph, second: Graph, arguments: Mapping[str, str]) -> Graph:
    """Both graphs side by side, on the same inputs; names of the second one get a prefix."""
    given = {i.name for i in second.inputs}

    def now(tensor: str) -> str:
        return arguments[tensor] if split(tensor)[0] in given else _OTHER + tensor

    bodies = {f"{_OTHER}{n}": _renamed_bodies(body) for n, body in second.bodies.items()}
    nodes = dict(first.nodes)
    for name, node in _renamed_bodies(second).nodes.items():
        if name in given:
            continue
        definition = type(node.definition)()
        definition.CopyFrom(node.definition)
        definition.name = _OTHER + name
        controls = tuple(_OTHER + c for c in node.controls if c not in given)
        nodes[_OTHER + name] = Node(definition, tuple(map(now, node.inputs)), controls)
    every = {**first.bodies, **bodies}
    every = {n: body.replace(bodies=every) for n, body in every.items()}
    names = {split(arguments[f"{n}:0"])[0] for n in given}
    missing = tuple(i for i in first.inputs if i.name not in names)
    inputs = tuple(dict.fromkeys([*missing, *(i for i in first.inputs if i.name in names)]))
    return dataclasses.replace(
        first,
        nodes=nodes,
        inputs=inputs,
        outputs=(*first.outputs, *map(now, second.outputs)),
        controls=(),
        bodies=every,
        functions={**second.functions, **first.functions},
    )


def _renamed_bodies(graph: Graph) -> Graph:
    nodes = {}
    for name, node in graph.nodes.items():
        names = [_OTHER + b for b in body_names(node)]
        if names:
            definition = type(node.definition)()
            definition.CopyFrom(node.definition)
            rename(definition, names)
            node = Node(definition, node.inputs, node.controls)
        nodes[name] = node
    return graph.replace(nodes=nodes)
