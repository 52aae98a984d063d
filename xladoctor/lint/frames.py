"""What the interpreter works with: frames, things that can be called, and the events that checks see."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from xladoctor.lint.project import Class, Function, Module
from xladoctor.lint.values import Size, Value


@dataclass(frozen=True)
class Entry:
    """A function from which code is followed: `why` says what puts it under XLA (empty: nothing does)."""

    function: Function
    why: str
    where: str

    @property
    def jit(self) -> bool:
        """Whether XLA compiles it."""
        return bool(self.why)


@dataclass(eq=False)
class Frame:
    """One call of a function: its names, and the frame that its free names live in."""

    function: Function | None
    module: Module
    entry: Entry
    chain: tuple[str, ...] = ()
    outer: Frame | None = None
    names: dict[str, Value] = field(default_factory=dict)
    returned: list[Value] = field(default_factory=list)
    guarded: bool = False

    def at(self, node: ast.AST) -> str:
        """`file:line` of something in this frame, for the words of findings."""
        return f"{Path(self.module.source.path).name}:{getattr(node, 'lineno', 0)}"

    def find(self, name: str) -> Value | None:
        """The value of a name here or further out."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.names:
                return frame.names[name]
            frame = frame.outer
        return None


@dataclass(eq=False)
class Closure:
    """A function of the project, with the frame that it was made in and the instance that it is bound to."""

    function: Function
    frame: Frame | None = None
    bound: Value | None = None


@dataclass(eq=False)
class Partial:
    """What `functools.partial` makes."""

    target: Value
    args: tuple[Value, ...]
    kwargs: Mapping[str, Value]


@dataclass(frozen=True)
class Instance:
    """An object of a class of the project, or of a class of elsewhere by its canonical name."""

    cls: Class | str


@dataclass(frozen=True)
class Shape:
    """The shape of a tensor: its first size, and whether the tensor is of a size that depends on data."""

    rows: Size | None
    grown: str | None


@dataclass(frozen=True)
class External:
    """A function or class of elsewhere, by its canonical name."""

    name: str


@dataclass(frozen=True)
class Call:
    """A function of TensorFlow (`op`, without `tensorflow.`) is called."""

    node: ast.Call
    frame: Frame
    op: str
    args: tuple[Value, ...]
    kwargs: Mapping[str, Value]
    result: Value

    def argument(self, position: int, name: str) -> Value | None:
        """An argument, however it was given."""
        if position < len(self.args):
            return self.args[position]
        return self.kwargs.get(name)


@dataclass(frozen=True)
class Branch:
    """Two ways of which XLA takes one at run time, and what each gives. `name` is the variable that gets it, if any."""

    node: ast.AST
    frame: Frame
    name: str
    one: Value
    other: Value


@dataclass(frozen=True)
class Index:
    """A tensor is indexed."""

    node: ast.Subscript
    frame: Frame
    value: Value


@dataclass(frozen=True)
class Mix:
    """Two values meet in arithmetic."""

    node: ast.AST
    frame: Frame
    one: Value
    other: Value


Event = Call | Branch | Index | Mix
