"""The way from a loss back to a variable that gets no gradient: which ops on it pass none on.

Pure: ops are kinds and keys of tensors, whether they come of a graph or were seen to run eagerly. An op passes none on
where TensorFlow has no gradient for it, where what it takes or gives is of whole numbers, where the tape was not
recording, or where the registered gradient is None (`WITHOUT`). What only depends on a shape does not depend on values.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

WITHOUT = frozenset({"Ceil", "Floor", "FloorDiv", "Rint", "Round", "TruncateDiv"})
"""Ops with a registered gradient that is None for each float input."""
_OF_SHAPES = frozenset({"BroadcastGradientArgs", "OnesLike", "Rank", "Shape", "ShapeN", "Size", "ZerosLike"})
_COMPARES = frozenset({"Equal", "Greater", "GreaterEqual", "Less", "LessEqual", "LogicalAnd", "LogicalOr", "NotEqual"})
_FLOATS = ("float", "bfloat16", "half", "complex", "resource", "variant")
_DEPTH = 8
Frames = list[dict[str, Any]]


@dataclass(frozen=True)
class Node:
    """An op: the keys of its tensors, and where the program made or ran it.

    `tells`: the tape was told how its gradient goes (a custom gradient, a function). `taped`: a tape was recording.
    `results`: so many of its first inputs get no gradient, since a gradient of the program's own stands for them.
    """

    kind: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    frames: Callable[[], Frames]
    tells: bool = False
    taped: bool = True
    results: int = 0
    body: Callable[[], Body | None] | None = None


@dataclass(frozen=True)
class Trail:
    """Ops in the order in which they were made or ran, and the tensors that a gradient may be taken of."""

    nodes: Sequence[Node]
    floats: Collection[str]


@dataclass(frozen=True)
class Body:
    """The graph of a function that an op calls: its tensors in the order of the op's."""

    trail: Trail
    inputs: Sequence[str]
    outputs: Sequence[str]


@dataclass(frozen=True)
class Cut:
    """An op that passes no gradient on: `why` is "op", "outside" (no tape was recording) or "numpy"."""

    kind: str
    why: str
    frames: Frames


@dataclass
class Walk:
    """Where the way back from the loss ended."""

    reached: set[str] = field(default_factory=set)
    cuts: list[tuple[Node, str]] = field(default_factory=list)
    downstream: set[str] = field(default_factory=set)

    @property
    def connected(self) -> bool:
        """Whether the loss depends on the source at all."""
        return bool(self.reached or self.cuts)


def is_float(dtype: str) -> bool:
    """Whether a gradient may be taken of a tensor of this type."""
    return dtype.startswith(_FLOATS)


def walk(
    trail: Trail, targets: Sequence[str], sources: Collection[str], knows: Callable[[str], bool], depth: int = 0
) -> Walk:
    """Go back from the targets to the sources, as far as ops pass a gradient on; `knows` says of which types
    TensorFlow knows a gradient.
    """
    done = Walk(downstream=_downstream(trail, sources))
    makers = {key: node for node in trail.nodes for key in node.outputs}
    todo, seen = [t for t in targets if t in done.downstream], set[str]()
    while todo:
        key = todo.pop()
        if key in seen:
            continue
        seen.add(key)
        node = makers.get(key)
        if key in sources:
            done.reached.add(key)
        elif node is not None:
            todo += _back(node, key, trail, makers, done, knows, depth)
    return done


def _back(
    node: Node, key: str, trail: Trail, makers: dict[str, Node], done: Walk, knows: Callable[[str], bool], depth: int
) -> Iterator[str]:
    """The inputs of an op to which the gradient of one of its outputs goes on; cuts are noted."""
    if not node.taped:
        done.cuts.append((node, "outside"))
        return
    if not (node.tells or node.body or knows(node.kind)) or node.kind in WITHOUT:
        done.cuts.append((node, "op"))
        return
    inputs = [key for key in node.inputs[node.results :] if key in done.downstream]
    body = node.body() if node.body is not None and depth < _DEPTH else None
    if body is not None:
        inputs = _within(node, key, body, done, knows, depth)
    for given in inputs:
        if given in trail.floats:
            yield given
        else:
            done.cuts += ((maker, "op") for maker in _made_whole(given, trail, makers, done.downstream))


def _within(node: Node, key: str, body: Body, done: Walk, knows: Callable[[str], bool], depth: int) -> list[str]:
    """The inputs of a function to which the gradient of one of its outputs goes on."""
    pairs = list(zip(body.inputs, node.inputs, strict=False))
    at = node.outputs.index(key)
    sources = {inner for inner, outer in pairs if outer in done.downstream}
    if at >= len(body.outputs):
        return []
    found = walk(body.trail, [body.outputs[at]], sources, knows, depth + 1)
    done.cuts += found.cuts
    return [outer for inner, outer in pairs if inner in found.reached]


def _downstream(trail: Trail, sources: Collection[str]) -> set[str]:
    """The tensors whose values depend on the sources."""
    found = set(sources)
    for node in trail.nodes:
        if node.kind not in _OF_SHAPES and not found.isdisjoint(node.inputs):
            found.update(node.outputs)
    return found


def _made_whole(key: str, trail: Trail, makers: dict[str, Node], downstream: Collection[str]) -> Iterator[Node]:
    """The ops that made whole numbers of floats, on the way to a tensor of whole numbers."""
    todo, seen = [key], set[str]()
    while todo:
        node = makers.get(todo.pop())
        if node is None or node.outputs[0] in seen:
            continue
        seen.add(node.outputs[0])
        given = [k for k in node.inputs if k in downstream]
        if any(k in trail.floats for k in given):
            yield node
        todo += [k for k in given if k not in trail.floats]


def cuts_of(done: Walk, most: int = 3) -> list[Cut]:
    """What stops the gradient, each op at one line once; comparisons, which mostly make masks, last."""
    found: dict[tuple[str, str, str], Cut] = {}
    for node, why in sorted(done.cuts, key=lambda cut: cut[0].kind in _COMPARES):
        frames = node.frames()
        found.setdefault((node.kind, why, str(frames[:1])), Cut(node.kind, why, frames))
        if len(found) >= most:
            break
    return list(found.values())
