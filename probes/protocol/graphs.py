"""What workers answer about a graph: its ops, what makes a value, what is compiled or lowered, what a callable is.

A field without a default is in every answer; one with a default is there where it says more. Shapes, times and frames
are written as `answers` says.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from .codec import Record
from .outcomes import Error, Frames, Input, Outcome, Shape


@dataclass(frozen=True, eq=False, repr=False)
class OutputPair(Record):
    """One result plainly and under XLA: the shapes, and the largest difference over the largest magnitude."""

    output: str
    plain: Shape | None
    xla: Shape | None
    deviation: float | None


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Record):
    """The step plainly and as one XLA program."""

    plain: Outcome
    xla: Outcome
    outputs: tuple[OutputPair, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Lowered(Record):
    """The text of a step in HLO, or why TensorFlow refuses it."""

    hlo: str | None
    error: Error | None
    note: str | None


@dataclass(frozen=True, eq=False, repr=False)
class Unsupported(Record):
    """An op without a kernel for a device; without a device where it is never run."""

    op: str
    node: str
    device: str | None
    sources: Frames = ()
    call_sources: tuple[Frames, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class LoweredFor(Record):
    """A step lowered for a platform; `refused` says why this TensorFlow cannot do so at all. `more`: behind these ops
    others may follow; `dynamic` instructions have a size that is only bounded.
    """

    refused: str | None
    ok: bool = False
    tries: int = 0
    unsupported: tuple[Unsupported, ...] = ()
    more: bool = False
    error: Error | None = None
    dynamic: int = 0
    note: str | None = None
    seconds: float = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Outline(Record):
    """How many ops a step has; `xla`: the whole step asked for it, `asks`: it or a function in it did."""

    ops: int
    xla: bool
    asks: bool
    listed: tuple[tuple[tuple[str, ...], str, str], ...] = field(default=(), metadata={"key": "list"})
    """(path, node, op) of each, in program order."""


@dataclass(frozen=True, eq=False, repr=False)
class Spot(Record):
    """Op k of a step in program order; `nesting` frames are around it, `xla`: a call around it asked for XLA."""

    node: str
    path: tuple[str, ...]
    nesting: int
    xla: bool
    function: str
    inner_node: str
    op: str
    inputs: tuple[Input, ...]
    sources: Frames
    call_sources: tuple[Frames, ...]


@dataclass(frozen=True, eq=False, repr=False)
class ValueOrigin(Record):
    """Where a value comes from (`origins.origins`)."""

    kind: Literal["argument", "variable", "random", "data", "loop"]
    op: str
    node: str
    function: str
    path: tuple[str, ...]
    sources: Frames
    call_sources: tuple[Frames, ...]


@dataclass(frozen=True, eq=False, repr=False)
class ValueOrigins(Record):
    """The origins of the inputs of an op, the nearest first."""

    origins: tuple[ValueOrigin, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Editable(Record):
    """An op that can be edited (`reduced.listed`): `argument` is its number where it is one of its frame; `behind`
    marks the op that is looked for, what runs it, and what comes of them.
    """

    frame: str
    node: str
    op: str
    inputs: tuple[str, ...]
    dtypes: tuple[str, ...]
    bodies: tuple[str, ...]
    argument: int | None
    behind: bool


@dataclass(frozen=True, eq=False, repr=False)
class Compiled(Record):
    """What came of compiling a part of a step: passed, failed, or unsupported where XLA was not asked."""

    outcome: str
    error: Error | None
    seconds: float
    compilations: int
    nodes: int | None = None
    listed: tuple[Editable, ...] = field(default=(), metadata={"key": "list"})
    names: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class SilentPart(Record):
    """The smallest part of a step that shows a silent finding, before it is edited. Shapes are those of HLO, by
    "frame tensor", as are the values of small integer tensors; `by_rows` are the top tensors that can be arguments,
    None for all.
    """

    listed: tuple[Editable, ...] = field(metadata={"key": "list"})
    shapes: dict[str, str]
    values: dict[str, Any]
    node: str
    op: str
    by_rows: tuple[str, ...] | None


@dataclass(frozen=True, eq=False, repr=False)
class Shown(Record):
    """Whether a part still shows a silent finding, and which; `why` where it does not."""

    shows: bool
    slug: str | None
    deviation: float | None
    shapes: tuple[Shape | None, ...] | None
    tolerance: float | None = None
    raises: Error | None = None
    why: str | None = None
    nodes: int = 0
    names: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class NodeSource(Record):
    """The frames of a node of this name; `function` is "" for the top."""

    function: str
    frames: Frames


@dataclass(frozen=True, eq=False, repr=False)
class Memory(Record):
    """Bytes that a step takes when it is run, and how they were measured; a note where they are not known."""

    bytes: int | None
    how: str | None = None
    note: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Digest(Record):
    """A hash of a graph, its nodes, and how many of its functions are marked for XLA."""

    digest: str
    nodes: int
    compiled: int


@dataclass(frozen=True, eq=False, repr=False)
class Facts(Record):
    """What decides which sizes of a capsule can be tried: the rows of its data, the only number that it takes."""

    batch: int | None
    fixed: int | None
    xla: bool
    nodes: int


@dataclass(frozen=True, eq=False, repr=False)
class Description(Record):
    """What a callable can be varied in: its parameters after the batch size, the keys of the settings."""

    parameters: tuple[str, ...]
    config: tuple[str, ...]
    by_row: bool | None
    file: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Captured(Record):
    """A callable as a capsule."""

    capsule: str
    xla: bool


@dataclass(frozen=True, eq=False, repr=False)
class Remade(Record):
    """What came of making an op once more; `guessed` are the inputs of which a size would have been made up."""

    error: Error | None
    guessed: tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Given(Record):
    """An argument or a variable that a constant of XLA is computed from."""

    kind: str
    name: str
    shape: tuple[int | None, ...] | None = None
    input: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Recompiles(Record):
    """Whether another value compiles again, by the seconds of three calls; a note where it cannot be told."""

    again: bool | None
    seconds: tuple[float, float, float] | None = None
    note: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Baked(Record):
    """A constant of XLA that is computed from a value (`baked.baked`)."""

    node: str
    path: tuple[str, ...]
    function: str
    op: str
    argument: str
    from_: tuple[Given, ...] = field(metadata={"key": "from"})
    sources: Frames
    call_sources: tuple[Frames, ...]
    recompiles: Recompiles | None = None
