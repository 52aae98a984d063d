"""Layers that a model calls and does not know: held by an object that is no layer, so that no optimizer gets them.

Looked for once for each list of variables that a `fit` trains: the variables that the graph of its step reads, but no
model that was compiled has.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .. import compat, compat_gradients
from .digests import Digests, name_of
from .gradient_trail import Frames
from .graph_trail import frames_of

MAX_VARIABLES = 60
MAX_BYTES = 8 << 20


class Untracked:
    """Keeps what is untracked until the end, when values show whether anything changed them."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[Any, str, str | None, Frames]] = {}
        self._digests = Digests(MAX_BYTES)

    def step(self, graph: Any, variables: Sequence[Any], models: Iterable[Any]) -> None:
        """A step of Keras is traced, in which an optimizer gets these variables."""
        known = list(models)
        have = {id(compat_gradients.handle_of(v)) for v in (*variables, *(w for m in known for w in m.weights))}
        readers = {id(outer): inner for outer, inner in getattr(graph, "captures", ())}
        scopes = tuple(f"/{m.name}/" for m in known)
        for variable in getattr(graph, "variables", ()):
            handle = compat_gradients.handle_of(variable)
            inner = readers.get(id(handle))
            if id(handle) in have or inner is None or not variable.trainable or len(self._found) >= MAX_VARIABLES:
                continue
            ops = [op for op in inner.consumers() if any(scope in f"/{op.name}" for scope in scopes)]
            if ops and compat.dims(variable.shape):
                found = (weakref.ref(variable), name_of(variable), self._digests.of(variable), frames_of(ops[0]))
                self._found[id(variable)] = found

    def told(self, trained: set[int]) -> Iterator[dict[str, Any]]:
        """At the end: of each line, the variables that nothing has changed."""
        digests = Digests(MAX_BYTES)
        lines: dict[str, tuple[Any, list[str]]] = {}
        for key, (reference, name, before, frames) in self._found.items():
            variable = reference()
            same = variable is not None and before is not None and digests.of(variable) == before
            if same and key not in trained and frames:
                lines.setdefault(str(frames[0]), (frames[0], []))[1].append(name)
        for where, names in lines.values():
            yield {"what": "untracked", "layer": names[0].partition("/")[0], "variables": names, "where": where}
