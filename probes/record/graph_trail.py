"""The ops of a graph as a trail on which gradients go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import compat, compat_gradients, compat_graph
from .frames import is_user_file, user_frames
from .gradient_trail import Body, Frames, Node, Trail, is_float

_LOOPS = frozenset({"Case", "If", "StatelessCase", "StatelessIf", "StatelessWhile", "While"})


class GraphTrail:
    """Reads graphs; `named` are those of functions, by the names under which ops call them."""

    def __init__(self, named: Mapping[str, Any]) -> None:
        self.named = named

    def of(self, graph: Any) -> Trail:
        """All ops of a graph that have outputs."""
        nodes, floats = [], set[str]()
        used = {t.name for op in graph.get_operations() for t in op.inputs}
        for op in graph.get_operations():
            if not op.outputs:
                continue
            floats.update(t.name for t in op.outputs if is_float(t.dtype.base_dtype.name))
            nodes.append(self._node(op, used))
        return Trail(nodes, floats)

    def captured(self, graph: Any, tensor: Any) -> set[str]:
        """The names that an eager tensor has in a graph that captured it."""
        return {inner.name for outer, inner in getattr(graph, "captures", ()) if outer is tensor}

    def body(self, name: str) -> Body | None:
        """The graph of a function."""
        graph = self.named.get(name)
        if graph is None:
            return None
        return Body(self.of(graph), [t.name for t in graph.inputs], [t.name for t in graph.outputs])

    def _node(self, op: Any, used: set[str]) -> Node:
        called = "" if op.type in _LOOPS else compat.function_name(op)
        results = 0
        if compat_gradients.gradient_override(op):
            results = 1 + max((i for i, t in enumerate(op.outputs) if t.name in used), default=0)
        return Node(
            op.type,
            tuple(t.name for t in op.inputs),
            tuple(t.name for t in op.outputs),
            lambda: frames_of(op),
            tells=op.type in _LOOPS or bool(called) or bool(results),
            results=results,
            body=(lambda: self.body(called)) if called else None,
        )


def frames_of(op: Any) -> Frames:
    """The user's frames that made an op, innermost first."""
    return _of_user(compat_graph.user_frames(op))


def frames_here(skip: int) -> Frames:
    """The user's frames on this thread's stack, innermost first; while a function is traced, those that AutoGraph's
    copy of it stands for.
    """
    if compat.default_graph() is None:
        return user_frames(skip=skip + 1, limit=4)
    return _of_user(compat_graph.mapped_stack())


def _of_user(stack: Any) -> Frames:
    found = [
        {"file": str(f.filename), "line": int(f.lineno), "function": str(f.name)}
        for f in stack
        if is_user_file(str(f.filename))
    ]
    return found[::-1][:4]
