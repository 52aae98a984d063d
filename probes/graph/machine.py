"""Runs flat graphs by value: a session whose graph optimizer is off.

With the optimizer on, TensorFlow may report a shape that was propagated backwards from the op that fails,
and may blame the wrong node. So values are fetched, never `tf.shape`, and nothing is rewritten before it
runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import compat_graph
from . import emit
from .inline import make
from .ir import Graph, split

Array = np.ndarray[Any, Any]

_OPAQUE = (20, 21)  # DT_RESOURCE, DT_VARIANT
_DT_STRING = 7
_NODE = re.compile(r"\{\{node ([^{}]+)\}\}")


class Handle(str):
    """A tensor that cannot leave the session (a TensorList, an optional): the name under which the session
    keeps it.
    """

    __slots__ = ()


Value = Array | Handle


class RunFailed(Exception):
    """TensorFlow refused or failed to run part of a graph."""

    def __init__(self, error: Exception, hints: list[str]) -> None:
        super().__init__(str(error))
        self.error = error
        self.hints = hints
        """Flat nodes that TensorFlow's message names: a hint, not a finding."""


class Machine:
    """One session for a program and all its bodies, so that opaque values can go from one to the other."""

    def __init__(self, threads: int = 0) -> None:
        import tensorflow as tf

        config = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads)
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        options = config.graph_options.optimizer_options
        options.opt_level = tf.compat.v1.OptimizerOptions.L0
        options.global_jit_level = tf.compat.v1.OptimizerOptions.OFF
        config.device_count["GPU"] = 0
        self._graph = tf.Graph()
        self._session = tf.compat.v1.Session(graph=self._graph, config=config)
        self._count = 0
        self.runs = 0

    def close(self) -> None:
        """Give the session's memory back."""
        self._session.close()

    def load(self, graph: Graph) -> Loaded:
        """Import a graph; its nodes may then be run in any selection."""
        import tensorflow as tf

        prefix = f"g{self._count}"
        self._count += 1
        replaced = {
            item.name: _opaque_input(item.name, int(node.definition.attr["dtype"].type))
            for item in graph.inputs
            if (node := graph.nodes[item.name]).definition.attr["dtype"].type in _OPAQUE
        }
        with self._graph.as_default():
            tf.graph_util.import_graph_def(emit.graph_def(graph, replaced=replaced), name=prefix)
        return Loaded(self, graph, prefix, set(replaced))

    def tensor(self, name: str) -> Any:
        """A tensor of the session's graph."""
        return self._graph.get_tensor_by_name(name)

    def operation(self, name: str) -> Any:
        """An operation of the session's graph."""
        return self._graph.get_operation_by_name(name)

    def keeper(self, tensor: Any) -> Any:
        """A tensor whose value is the handle under which the session keeps `tensor`."""
        import tensorflow as tf

        with self._graph.as_default(), tf.compat.v1.device("CPU:0"):
            return tf.raw_ops.GetSessionHandle(value=tensor)

    def run(self, fetches: list[Any], feeds: list[tuple[Any, Any]], targets: list[Any]) -> list[Any]:
        """Run; raises TensorFlow's own error."""
        self.runs += 1
        return compat_graph.session_run(self._session, fetches, feeds, targets)


class Loaded:
    """A graph that a machine has imported."""

    def __init__(self, machine: Machine, graph: Graph, prefix: str, handles: set[str]) -> None:
        self.machine = machine
        self.graph = graph
        self._prefix = prefix
        self._handles = handles
        self._keepers: dict[str, Any] = {}

    def is_opaque(self, tensor: str) -> bool:
        """True for tensors without a value that could be looked at."""
        return int(self._tensor(tensor).dtype.as_datatype_enum) in _OPAQUE

    def can_feed(self, tensor: str) -> bool:
        """An opaque tensor can be fed only where it is an argument."""
        return split(tensor)[0] in self._handles or not self.is_opaque(tensor)

    def outputs(self, node: str) -> list[str]:
        """The tensors of a node."""
        count = len(self.machine.operation(f"{self._prefix}/{node}").outputs)
        return [f"{node}:{i}" for i in range(count)]

    def run(self, fetches: Sequence[str], feeds: Mapping[str, Value], targets: Iterable[str] = ()) -> dict[str, Value]:
        """Values of `fetches`, when the tensors of `feeds` have the given values; `targets` are nodes that
        must run too.

        Raises RunFailed.
        """
        wanted = [t for t in dict.fromkeys(fetches) if t not in feeds]
        opaque = {t for t in wanted if self.is_opaque(t)}
        tensors = [self._keeper(t) if t in opaque else self._tensor(t) for t in wanted]
        given = [
            (self._fed(t), np.asarray(str(v), dtype=object) if isinstance(v, Handle) else v) for t, v in feeds.items()
        ]
        operations = [self.machine.operation(f"{self._prefix}/{n}") for n in targets]
        if not tensors and not operations:
            return {}
        try:
            values = self.machine.run(tensors, given, operations)
        except Exception as error:
            raise RunFailed(error, self._hints(error)) from error
        return {
            t: Handle(v.decode() if isinstance(v, bytes) else v) if t in opaque else np.asarray(v)
            for t, v in zip(wanted, values, strict=True)
        }

    def _tensor(self, tensor: str) -> Any:
        return self.machine.tensor(f"{self._prefix}/{tensor}")

    def _fed(self, tensor: str) -> Any:
        name, _ = split(tensor)
        return self._tensor(f"{name}/__handle:0" if name in self._handles else tensor)

    def _keeper(self, tensor: str) -> Any:
        if tensor not in self._keepers:
            self._keepers[tensor] = self.machine.keeper(self._tensor(tensor))
        return self._keepers[tensor]

    def _hints(self, error: Exception) -> list[str]:
        start = f"{self._prefix}/"
        found = [n[len(start) :] for n in _NODE.findall(str(error)) if n.startswith(start)]
        return [n for n in dict.fromkeys(found) if n in self.graph.nodes]


def _opaque_input(name: str, dtype: int) -> list[Any]:
    """In place of an opaque argument: a lookup of the value that the session keeps under a handle."""
    handle = make("Placeholder", f"{name}/__handle").definition
    handle.attr["dtype"].type = _DT_STRING
    handle.attr["shape"].shape.SetInParent()
    lookup = make("GetSessionTensor", name).definition
    lookup.attr["dtype"].type = dtype
    lookup.input.append(handle.name)
    return [handle, lookup]
