"""What a worker answers on the way to a script whose assertion fails: the smallest part that still computes wrongly.

Nothing fails in a silent fault, so what is kept while a graph is made smaller is a *test*, of one of the kinds

    {"kind": "ways"}                    plain mode against XLA: the one raises, or shapes or values differ
    {"kind": "rows", "test": "permuted", "few" or "alone", "row": n}
                                        some rows by themselves against the same rows of the whole batch
    {"kind": "size", "bad": n}          as many rows out as in at another size, but not at n

always on the very values that the script will have. The part ends at the first tensor of the step that shows it, not
at its result.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..protocol.requests import OfSilent, ReduceSilent, WriteSilentScript
from .assertion import assertion
from .entered import entered
from .errors import Unsupported
from .evaluate import Activation
from .inline import placeholder
from .ir import Graph, Input, ancestors, split
from .leaves import behind, has_number
from .machine import Handle
from .measure import Array, deviation
from .optionals import unwrap
from .outcome import results_of
from .parity import Ways
from .phrases import constant_of, is_drawn
from .prefix import Spot
from .reduced import check, edited, frames, listed, tidy
from .rows import FEW, order, taken
from .script import sample
from .sensitivity import floor
from .showing import WORSE, Trial, nothing, shows
from .step import new_frames
from .transform import truncate

_SMALL = 64
_CHUNK = 200
_KINDS = {"float32": "f32", "float64": "f64", "complex64": "c64", "complex128": "c128", "bool": "pred"}


class Silent:
    """A finding of parity in one output of a capsule."""

    def __init__(self, request: OfSilent[Any]) -> None:
        self.values = request.values
        self.ways = Ways(Path(request.capsule), batch=request.batch, foreign=request.foreign, values=self.values)
        self.test = dict(request.test)
        self.way = str(self.test.get("way", "plain"))
        self.batched = [] if self.test["kind"] == "ways" else self.ways.batched()[0]
        self.batch = len(self.ways.arguments[self.batched[0]]) if self.batched else 0
        self._few = FEW if self.batch != FEW else FEW + 1
        if self.test["kind"] == "rows":
            self.test["rows"] = self._rows()
        if self.test["kind"] == "size":
            self.test["good"] = self._few if self.test["bad"] == self.batch else self.batch
        self.seen: dict[str, Array] = {}
        """Tensors of the top frame, as they are on the whole batch."""
        self.rows_of: dict[str, int] = {}
        """Tensors that have the batch as their leading axis, so many times; in a test of sizes, at the good one."""
        self._small: dict[str, Array] = {}
        self._constants: dict[str, Array] = {}
        self.graph = self._start(request.output, request.node)

    def close(self) -> None:
        """Give the memory back."""
        self.ways.close()

    def _rows(self) -> list[int]:
        if self.test["test"] == "permuted":
            return [int(n) for n in order(self.batch)]
        return list(range(FEW)) if self.test["test"] == "few" else [int(self.test["row"])]

    # -- where to begin

    def _start(self, output: str, node: Any) -> Graph:
        wanted = results_of(self.ways.step)[output]
        graph = self.ways.step.pure.graph
        named = [f"{n}:0" for n, o in graph.origins.items() if n in graph.nodes and "/".join((*o.path, o.node)) == node]
        self._look(wanted, named)
        for tensor in [*self._earlier(wanted, named), wanted]:
            part = self._without_constants(tidy(unwrap(truncate(graph, [tensor]))))
            self.node = split(tensor)[0]
            if self.shows(part)["shows"]:
                return part
        raise Unsupported("on the values that a script would have, the finding does not show")

    def _without_constants(self, graph: Graph) -> Graph:
        """Constants that are too large to be written are arguments."""
        for node in [n for n in graph.nodes.values() if is_drawn(n)]:
            value = np.asarray(constant_of(node))
            item = Input(node.name, graph.dtype(f"{node.name}:0"), value.shape)
            self._constants[f"{node.name}:0"] = value
            graph = graph.replace(nodes={**graph.nodes, node.name: placeholder(item)}, inputs=(*graph.inputs, item))
        return graph

    def _look(self, wanted: str, named: Sequence[str]) -> None:
        """What the tensors on the way are, on the whole batch and on some rows of it."""
        self.seen = values_of(self.ways, [wanted, *named], self.ways.arguments)
        if self.test["kind"] == "ways":
            return
        sized = self.test["kind"] == "size"
        good = int(self.test["good"]) if sized else self._few
        other = int(self.test["bad"]) if sized else self.batch
        right, self._small = self._at(wanted, good), self._at(wanted, other)
        for tensor, value in right.items():
            more = self._small.get(tensor)
            if more is None or not value.ndim or not more.ndim or value.shape == more.shape:
                continue
            times = len(value) // good
            if times and len(value) == times * good and (sized or len(more) == times * other):
                self.rows_of[tensor] = times

    def _at(self, wanted: str, size: int) -> dict[str, Array]:
        if size == self.batch:
            return self.seen
        return values_of(self.ways, [wanted], taken(self.ways.arguments, self.batched, np.arange(size) % self.batch))

    def _is_rows(self, tensor: str) -> bool:
        """Whether a tensor has one item a row, at all sizes."""
        size = int(self.test.get("bad", self.batch))
        return (
            self.rows_of.get(tensor) == 1 and len(self._small[tensor]) == size and len(self.seen[tensor]) == self.batch
        )

    def _earlier(self, wanted: str, named: list[str]) -> list[str]:
        """Tensors before the result that may show it already, in program order."""
        if self.test["kind"] == "ways":
            return named[:1]
        if self.test["kind"] == "size":
            found = self._small.get(wanted)
            out = len(found) if found is not None and found.ndim else 0
            lost = [t for t, times in self.rows_of.items() if len(self._small[t]) == times * out]
            return lost[:4] if out != self.test["bad"] else []
        return self._first_apart()

    def _first_apart(self) -> list[str]:
        """Tensors with rows that differ where only other rows were put beside them.

        Of tensors with several items a row it is not known that they lie side by side, unless others with as many have
        them so.
        """
        rows = np.array(self.test["rows"])
        arguments = taken(self.ways.arguments, self.batched, rows)
        # A number of a place in the batch is none of a row.
        data = of_data(self.ways.step.pure.graph, self.batched)
        last = [t for t in self.rows_of if split(t)[0] in data]
        found = values_of(self.ways, last, arguments) if last else {}
        apart, right = [], set()
        for tensor in last:
            times = self.rows_of[tensor]
            value, other = self.seen[tensor], found.get(tensor)
            if other is None or len(other) != times * len(rows):
                continue
            expected = value.reshape(self.batch, times, *value.shape[1:])[rows].reshape(other.shape)
            far = deviation(expected, other)
            if far > WORSE * floor(value, self.ways.arguments) and far > 0:
                apart.append(tensor)
            elif deviation(value[: len(other)], other) > 0 or len(rows) == 1:
                right.add(times)
        return [t for t in apart if self.rows_of[t] == 1 or self.rows_of[t] in right][:4]

    # -- making it smaller

    def listed(self) -> dict[str, Any]:
        """{"list": `reduced.listed`, "shapes": {"frame tensor": "f32[2,3]"}, "values": {"frame tensor": integers},
        "node", "op", "by_rows": top tensors that could be arguments; None for all}.
        """
        inside = self._inside(self.graph)
        shapes, values = {}, {}
        for frame, here in inside.items():
            graph = self.graph if not frame else self.graph.bodies[frame]
            for tensor, value in here.items():
                kind = _KINDS.get(value.dtype.name, value.dtype.name)
                shapes[f"{frame} {tensor}"] = f"{kind}[{','.join(map(str, value.shape))}]"
                if value.dtype.kind in "iub" and value.size <= _SMALL and split(tensor)[0] in graph.nodes:
                    values[f"{frame} {tensor}"] = value.tolist()
        op = self._op()
        rows = listed(self.graph, Spot((), self.node)) if self.node in self.graph.nodes else []
        by_rows = None if self.test["kind"] == "ways" else [t for t in self.rows_of if self._is_rows(t)]
        return {"list": rows, "shapes": shapes, "values": values, "node": self.node, "op": op, "by_rows": by_rows}

    def _op(self) -> str:
        """The op that gives the result, behind what only hands it on."""
        node = self.graph.nodes.get(self.node)
        while node is not None and node.op in ("Identity", "IdentityN") and node.inputs:
            node = self.graph.nodes[split(node.inputs[0])[0]]
        return "" if node is None else node.op

    def _inside(self, graph: Graph) -> dict[str, dict[str, Array]]:
        own = new_frames()
        top = Activation(own, graph, self._sampled(graph))
        bodies = {"": top, **entered(top, [f for f in frames(graph) if f])}
        found = {}
        for frame, here in bodies.items():
            names = [f"{n}:{i}" for n in here.graph.nodes for i in range(len(here.loaded.outputs(n)))]
            names = [t for t in names if has_number(here.graph.dtype(t))]
            here.compute(names)
            kept = {t: here.values.get(t) for t in names}
            found[frame] = {t: np.asarray(v) for t, v in kept.items() if v is not None and not isinstance(v, Handle)}
        own.machine.close()
        return found

    def reduce(self, request: ReduceSilent) -> dict[str, Any]:
        """`shows` of the graph after some edits, with "nodes"; `names` adds the nodes that are left."""
        graph = self.edited(request.edits)
        told = {**self.shows(graph), "nodes": sum(len(f.nodes) for f in frames(graph).values())}
        if request.names:
            told["names"] = [name for f in frames(graph).values() for name in f.nodes]
        return told

    def edited(self, edits: Any) -> Graph:
        """The graph after edits; Unsupported where one makes an argument of what cannot be taken by rows."""
        graph = edited(self.graph, check(edits))
        known = {i.name for i in self.graph.inputs}
        if self.test["kind"] not in ("rows", "size"):
            return graph
        for item in [i for i in graph.inputs if i.name not in known]:
            if not self._is_rows(of_edit(item.name)):
                raise Unsupported(f"{of_edit(item.name)} has not one item a row")
            rows = dataclasses.replace(item, shape=(None, *(item.shape or ())[1:]))
            inputs = tuple(rows if i is item else i for i in graph.inputs)
            graph = graph.replace(nodes={**graph.nodes, item.name: placeholder(rows)}, inputs=inputs)
        return graph

    def script(self, request: WriteSilentScript) -> str:
        """The script of the graph after some edits."""
        graph = self.edited(request.edits)
        told = self.shows(graph)
        if not told["shows"]:
            raise Unsupported("what is left does not show it")
        return assertion(
            graph,
            self._arguments(graph),
            self.test,
            told,
            title=request.title,
            batched=self._batched(graph),
            times=self.rows_of.get(graph.outputs[0], 1) if graph.outputs else 1,
            values=self.values,
        )

    # -- the test

    def shows(self, graph: Graph) -> dict[str, Any]:
        """`showing.shows` of a graph with one output, on the values that a script would have."""
        if len(graph.outputs) != 1 or not graph.inputs:
            return nothing("nothing is computed")
        times = self.rows_of.get(graph.outputs[0], 1)
        return shows(Trial(graph, self._sampled(graph), self.test, self._batched(graph), self.batch, times))

    # -- values

    def _batched(self, graph: Graph) -> list[str]:
        names = {f"{i.name}:0" for i in graph.inputs}
        return [n for n in names if n in self.batched or ("/__edit_" in n and self._is_rows(of_edit(n[:-2])))]

    def _arguments(self, graph: Graph) -> dict[str, Array]:
        """What each input was in the step; ones for what was not reached there, as plain mode had failed before."""
        found = {}
        for item in graph.inputs:
            name = f"{item.name}:0"
            value = self.ways.arguments.get(name, self._constants.get(name))
            value = self.seen.get(of_edit(item.name)) if value is None else value
            found[name] = np.ones([n or 1 for n in item.shape or ()], as_numpy(item.dtype)) if value is None else value
        return found

    def _sampled(self, graph: Graph) -> dict[str, Array]:
        """What each input is in the script."""
        random = np.random.default_rng(0)
        given = self._arguments(graph)
        return {n: np.asarray(sample(v, self.values)[1](random)) for n, v in given.items()}


def values_of(ways: Ways, wanted: Sequence[str], arguments: Mapping[str, Array]) -> dict[str, Array]:
    """All numbers on the way to some tensors of the top frame, in program order, as far as they can be had."""
    graph = ways.step.pure.graph
    activation = Activation(ways.frames, graph, arguments)
    needed = ancestors(graph, wanted)
    names = [f"{n}:{i}" for n in graph.nodes if n in needed for i in range(len(activation.loaded.outputs(n)))]
    names = [t for t in names if has_number(graph.dtype(t))]
    for start in range(0, len(names), _CHUNK):
        activation.compute(names[start : start + _CHUNK])
    found = {t: activation.values.get(t) for t in names}
    return {t: np.asarray(v) for t, v in found.items() if v is not None and not isinstance(v, Handle)}


def as_numpy(dtype: int) -> Any:
    """The NumPy type of a DataType."""
    import tensorflow as tf

    return tf.dtypes.as_dtype(dtype).as_numpy_dtype


def of_data(graph: Graph, inputs: Collection[str]) -> set[str]:
    """The nodes that depend on what is in these inputs, and not on their shape alone."""
    return behind(graph, (split(t)[0] for t in inputs))


def of_edit(name: str) -> str:
    """The tensor in whose place an edit has put an argument."""
    match = re.fullmatch(r"(.*)/__edit_(\d+)", name, re.DOTALL)
    return f"{match[1]}:{match[2]}" if match else f"{name}:0"
