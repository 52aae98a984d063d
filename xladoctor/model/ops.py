"""Ops as a worker tells them: the one that fails when a step runs again, and the one at which a wrong size arose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

Frame = tuple[str, int | None, str | None]
"""(file, line, function)"""
Sizes = tuple[int | str | None, ...]
IN_LOSS = "compile_loss"
"""The scope of the loss that a model of Keras was compiled with, in the names of nodes."""
_OF_TAPE = re.compile(r"(?:^|/)gradient_tape/(?P<scope>.{1,600})/[^/]{1,200}$")
_OF_GRADIENTS = re.compile(r"(?:^|/)gradients(?:_\d{1,4})?/(?P<scope>.{1,600}?)_grad(?:_\d{1,4})?/")


@dataclass(frozen=True)
class OpInput:
    """What an op was given. `value` is that of small integer tensors; `op` made it."""

    tensor: str | None = None
    node: str | None = None
    output: int | None = None
    dtype: str | None = None
    shape: Sizes | None = None
    value: Any = None
    op: str | None = None

    @property
    def sizes(self) -> tuple[int, ...] | None:
        """A value that is a vector of counts: a shape that is asked for."""
        value = self.value
        flat = isinstance(value, list) and value and all(isinstance(n, int) and n >= 0 for n in value)
        return tuple(value) if flat else None


@dataclass(frozen=True)
class WorkerOp:
    """An op of a graph that a worker ran, or tried to.

    `path` are the nodes of the calls that lead to it, outermost first; `inner_node` is its node in `function`, which is
    the function that holds it. `order` is where it comes in the step. Frames are innermost last: `sources` made the op,
    `call_sources` each call that leads to it. `filled` are the inputs of the step whose values are made up, `guessed`
    those whose shapes are.
    """

    op: str
    node: str = ""
    path: tuple[str, ...] = ()
    function: str | None = None
    inner_node: str | None = None
    inputs: tuple[OpInput, ...] = ()
    kind: str | None = None
    message: str | None = None
    order: tuple[int, ...] = ()
    iterations: tuple[int, ...] = ()
    sources: tuple[Frame, ...] = ()
    call_sources: tuple[tuple[Frame, ...], ...] = ()
    filled: tuple[str, ...] = ()
    guessed: dict[str, tuple[int, ...] | None] = field(default_factory=dict)

    @property
    def layer(self) -> str | None:
        """The name scope of the outermost call node that is not just the step itself."""
        return layer_of(self.path, self.inner_node)

    @property
    def said(self) -> str:
        """The first line of what TensorFlow said of it."""
        return next(iter((self.message or "").splitlines()), "")

    def part(self, *names: str) -> dict[str, Any]:
        """Some of its fields, as a finding keeps them."""
        told = asdict(self)
        return {name: told[name] for name in names}


@dataclass(frozen=True, kw_only=True)
class SizeOrigin(WorkerOp):
    """The op at which a size arose. `shape` is that of its result; `loses` whether rows were lost there."""

    inner_node: str
    shape: tuple[int | None, ...]
    axis: int | None = None
    loses: bool | None = None


def layer_of(path: Sequence[str], inner_node: str | None) -> str | None:
    """The name scope of the outermost call node that is not just the step itself."""
    for node in path:
        if "/" in node:
            return node.rpartition("/")[0]
    return (inner_node or "").rpartition("/")[0] or None


def forward_scopes(node: str) -> Iterator[str]:
    """The scopes of the operation whose gradient a node belongs to, the innermost first; none for any other node.

    A tape names the ops of a gradient `gradient_tape/SCOPE/OP`, after the scope in which the operation was made;
    `tf.gradients` names them `gradients/NODE_grad/OP` (tensorflow/python/eager/backprop.py, ops/gradients_util.py).
    """
    found = _OF_TAPE.search(node) or _OF_GRADIENTS.search(node)
    parts = found["scope"].split("/") if found is not None else []
    yield from ("/".join(parts[:length]) for length in range(len(parts), 0, -1))
