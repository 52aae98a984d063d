"""Layers that a model calls and does not know: held by an object that is no layer, so that no optimizer gets them.

Looked for once for each list of variables that a `fit` trains: the variables that the graph of its step reads, but no
model that was compiled has. Keras 3 does not know a `tf.Variable` either that is an attribute of a layer.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

from .. import compat, compat_gradients
from .digests import Digests, inner_of, name_of
from .frames import followed
from .gradient_trail import Frames
from .graph_trail import frames_of
from .guard import Guard
from .importhook import PostImportFinder

MAX_ALIVE = 4000
_READS = frozenset({"ReadVariableOp", "ResourceGather"})
MAX_VARIABLES = 60
MAX_BYTES = 1 << 20
"""Of variables of TensorFlow whose values are compared."""


class Untracked:
    """Keeps what is untracked until the end, when it is known what was trained elsewhere."""

    def __init__(self, guard: Guard, finder: PostImportFinder) -> None:
        self.guard = guard
        self._variables: list[weakref.ref[Any]] = []
        """All variables of Keras."""
        finder.when_imported(compat_gradients.KERAS_VARIABLES[0], self._hook)
        self._found: dict[int, tuple[str, Frames]] = {}
        self._plain: dict[int, tuple[weakref.ref[Any], str, Frames, str | None]] = {}
        self._digests = Digests(MAX_BYTES)

    def _hook(self, module: ModuleType) -> None:
        cls: Any = getattr(module, compat_gradients.KERAS_VARIABLES[1])

        def made(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            if len(self._variables) < MAX_ALIVE:
                self._variables.append(weakref.ref(args[0]))

        self.guard.hooks.put(cls, "__init__", followed(cls.__init__, made))

    def step(self, graph: Any, variables: Sequence[Any], models: Iterable[Any]) -> None:
        """A step of Keras is traced, in which an optimizer gets these variables."""
        known = list(models)
        have = {id(compat_gradients.handle_of(v)) for v in (*variables, *(w for m in known for w in m.weights))}
        readers = _readers(graph)
        scopes = tuple(f"/{m.name}" for m in known)
        for variable in [v for reference in self._variables if (v := reference()) is not None]:
            handle = compat_gradients.handle_of(variable)
            inner = readers.get(id(handle))
            if id(handle) in have or inner is None or not variable.trainable or len(self._found) >= MAX_VARIABLES:
                continue
            ops = _within(inner, scopes)
            if ops and compat.dims(variable.shape):
                self._found[id(variable)] = (name_of(variable), frames_of(ops[0]))
        have |= {id(compat_gradients.handle_of(v)) for reference in self._variables if (v := reference()) is not None}
        for variable in compat_gradients.variables_read(graph):
            self._read(variable, have, readers, scopes)

    def _read(self, variable: Any, have: set[int], readers: dict[int, Any], scopes: Sequence[str]) -> None:
        """A variable of TensorFlow that a step of Keras reads."""
        handle = compat_gradients.handle_of(variable)
        inner = readers.get(id(handle))
        known = id(handle) in have or id(variable) in self._plain or len(self._plain) >= MAX_VARIABLES
        if known or inner is None or not (variable.trainable and variable.dtype.is_floating):
            return
        ops = _within(inner, scopes)
        if ops and all(op.type in _READS for op in ops):
            value = self._digests.of(variable)
            self._plain[id(variable)] = (weakref.ref(variable), name_of(variable), frames_of(ops[0]), value)

    def told(self, others: Mapping[int, Any]) -> Iterator[dict[str, Any]]:
        """At the end: of each line, the variables that are not among `others`, which were trained or loaded."""
        lines: dict[str, tuple[Any, list[str]]] = {}
        for key, (name, frames) in self._found.items():
            if key not in others and frames:
                lines.setdefault(str(frames[0]), (frames[0], []))[1].append(name)
        trained = {id(inner_of(v)) for v in others.values()}
        for key, (reference, name, frames, value) in self._plain.items():
            variable = reference()
            # What a callback has set meanwhile is no parameter of the model.
            same = variable is not None and value is not None and self._digests.of(variable) == value
            if same and frames and key not in trained:
                yield {"what": "plain", "layer": name, "variables": [name], "where": frames[0]}
        for where, names in lines.values():
            yield {"what": "untracked", "layer": names[0].partition("/")[0], "variables": names, "where": where}


def _within(inner: Any, scopes: Sequence[str]) -> list[Any]:
    """The ops in the scopes of the models that read a variable."""
    return [op for op in inner.consumers() if any(scope in f"/{op.name}" for scope in scopes)]


def _readers(graph: Any) -> dict[int, Any]:
    """{what a graph captured that is in no graph: its tensor in the graph}."""
    above, around = [], graph
    while (around := getattr(around, "outer_graph", None)) is not None:
        above.append({id(inner): outer for outer, inner in getattr(around, "captures", ())})
    found = {}
    for outer, inner in getattr(graph, "captures", ()):
        for captures in above:
            outer = captures.get(id(outer), outer)
        found[id(outer)] = inner
    return found
