"""What workers answer. A field without a default is in every answer; one with a default is there where it says more.

Shapes are lists of sizes, `?` or `<=N` in the place of one that is not known or only bounded. Times are in seconds. A
frame is a line of the user's: [file, line, function]; in lists of frames the innermost is the last.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from .codec import Record

Frame = tuple[str, int | None, str | None]
Frames = tuple[Frame, ...]
Shape = tuple[int | None, ...]
Edit = dict[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class Hello(Record):
    """The process, and the TensorFlow in it, where it was to be imported."""

    schema: str
    pid: int
    python: str
    executable: str
    tensorflow: str | None


@dataclass(frozen=True, eq=False, repr=False)
class Error(Record):
    """An exception: the name of its class, and its text."""

    kind: str
    message: str


@dataclass(frozen=True, eq=False, repr=False)
class Loaded(Record):
    """What a capsule holds. `filled` are the inputs without a value, `left_out` the nodes that are not run, and why."""

    name: str
    python_name: str | None
    xla: bool
    versions: dict[str, Any]
    recipe: dict[str, Any]
    nodes: int
    filled: tuple[str, ...]
    left_out: dict[str, str]
    unsafe_ops: dict[str, str]


@dataclass(frozen=True, eq=False, repr=False)
class Input(Record):
    """What an op is given. `value` is that of small integer tensors."""

    tensor: str
    node: str
    output: int
    dtype: str | None
    shape: tuple[int | str | None, ...] | None
    value: Any
    op: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class FailingOp(Record):
    """The op that fails when the step is run plainly, by the way to it (`failing.failing_op`)."""

    node: str
    path: tuple[str, ...]
    function: str
    inner_node: str
    op: str
    inputs: tuple[Input, ...]
    kind: str
    message: str
    iterations: tuple[int, ...]
    order: tuple[int, ...]
    sources: Frames
    call_sources: tuple[Frames, ...]
    filled: tuple[str, ...]
    guessed: dict[str, tuple[int, ...] | None]
    runs: int = 0
    ops: int = 0


@dataclass(frozen=True, eq=False, repr=False)
class RefusedOp(Record):
    """The op that TensorFlow refused to make (`halted.halted`); `ops` were made in that graph before."""

    op: str
    node: str
    inputs: tuple[Input, ...]
    where: Frames
    kind: str
    message: str
    ops: int


@dataclass(frozen=True, eq=False, repr=False)
class Origin(Record):
    """The op at which a size arose (`birth.birth`); `output` is the number of the result that lost its rows."""

    node: str
    op: str
    path: tuple[str, ...]
    function: str
    inner_node: str
    loses: bool
    axis: int
    shape: Shape | None
    inputs: tuple[Input, ...]
    sources: Frames
    output: int | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Occurrence(Record):
    """One time that a recorded place was entered (`shapes.runtime_shapes`)."""

    path: tuple[str, ...]
    function: str
    order: tuple[int, ...]
    iteration: int | None
    iterations: tuple[int, ...]
    state: str
    shapes: dict[str, Shape]
    dtypes: dict[str, str]
    missing: dict[str, str]
    positions: dict[str, tuple[int, ...]]


@dataclass(frozen=True, eq=False, repr=False)
class FailedNode(Record):
    """A node that failed on the way to the places."""

    path: tuple[str, ...]
    node: str
    iterations: tuple[int, ...]
    kind: str
    message: str


@dataclass(frozen=True, eq=False, repr=False)
class Shapes(Record):
    """Every time that the wanted places were entered, by their ids."""

    occurrences: dict[str, tuple[Occurrence, ...]]
    failed: tuple[FailedNode, ...]
    filled: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Output(Record):
    """A result: its shape, and whether all its values are finite, where that can be asked."""

    output: str
    shape: Shape
    dtype: str
    finite: bool | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Outcome(Record):
    """What came of a run: passed, failed or refused, and with which results."""

    outcome: str
    error: Error | None = None
    outputs: tuple[Output, ...] = ()
    missing: tuple[str, ...] = ()
    seconds: float | None = None
    note: str | None = None

    @property
    def passed(self) -> bool:
        """Whether nothing failed."""
        return self.outcome == "passed"


@dataclass(frozen=True, eq=False, repr=False)
class Attempt(Outcome):
    """An outcome at one of many sizes. `compilations` is None where it cannot be told, `way` how it was run, `stage`
    and `where` say where a callable failed, `shared` whether sizes share a trace.
    """

    compilations: int | None = None
    trace_seconds: float | None = None
    compile_seconds: float | None = None
    run_seconds: float | None = None
    way: str | None = None
    stage: str | None = None
    where: Frames = ()
    shared: bool | None = None
    shapes: Shapes | None = None
    filled: tuple[str, ...] = ()
    batch: int | None = None


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


@dataclass(frozen=True, eq=False, repr=False)
class Map(Record):
    """Where two results are apart (`deviation_map`): [row, deviation] of each block of rows, and a picture of one."""

    rows: tuple[tuple[int, float], ...]
    block: int
    row: int
    shape: tuple[int, int] | None
    cells: tuple[tuple[float, ...], ...] | None


@dataclass(frozen=True, eq=False, repr=False)
class Compared(Record):
    """One result on two ways (`measure.compared`): `deviation` is None where the shapes differ or a side is missing."""

    output: str
    shapes: tuple[Shape | None, Shape | None]
    deviation: float | None
    tolerance: float | None
    rows: tuple[int, ...]
    amplitude: float | None = None
    phase: float | None = None
    map: Map | None = None


@dataclass(frozen=True, eq=False, repr=False)
class ComparedWays(Compared):
    """A result in two of the ways in which a step can be run."""

    ways: tuple[str, str] = ("", "")
    apart: bool = False
    seeded: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class RowTest(Compared):
    """A result on other rows, against the same rows of the whole batch. Of a test of sizes, `size` loses rows."""

    test: str = ""
    follows: tuple[tuple[int, int], ...] = ()
    size: int | None = None
    right_at: int | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Random(Record):
    """The ops that draw numbers: other ones at every call, or from a seed."""

    free: tuple[str, ...] = ()
    seeded: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Ways(Record):
    """The ways in which a step was run, and each result against the plain one. Of a callable, `capsule` is what was
    made of it, and `open` whether it takes any number of rows.
    """

    ways: dict[str, Outcome]
    agreements: tuple[ComparedWays, ...]
    batch: int | None
    filled: tuple[str, ...]
    random: Random
    compilations: int
    not_run: dict[str, str]
    left_out: tuple[str, ...]
    seconds: float
    capsule: str | None = None
    open: bool | None = None
    note: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class FailedTest(Record):
    """A test of rows that does not run."""

    test: str
    error: Error | None


@dataclass(frozen=True, eq=False, repr=False)
class Dependence(Record):
    """The rows of a result that change with one row of an input."""

    output: str
    input: str
    row: int
    rows: tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Rows(Record):
    """The rows of a step's results against those of other batches (`rows.check`); `skipped` says why not."""

    batch: int | None
    filled: tuple[str, ...]
    random: Random
    compilations: int
    not_run: dict[str, str]
    seconds: float
    skipped: str | None = None
    tests: tuple[RowTest, ...] = ()
    without_rows: tuple[str, ...] = ()
    failed: tuple[FailedTest, ...] = ()
    depends: tuple[Dependence, ...] = ()
    inputs: tuple[str, ...] = ()
    other_sizes: bool = True
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class PartingNode(Record):
    """The op at which two ways part: on the same values it gives something else, or raises (`message`)."""

    node: str
    op: str
    function: str
    inner_node: str
    sources: Frames
    call_sources: tuple[Frames, ...]
    deviation: float | None = None
    tolerance: float | None = None
    shapes: tuple[Shape | None, ...] = ()
    message: str | None = None
    exact: bool | None = None


@dataclass(frozen=True, eq=False, repr=False)
class FirstNode(Record):
    """The first op at which plain mode and XLA part; `checked` were compared, `unchecked` could not be."""

    node: PartingNode | None
    checked: int
    unchecked: tuple[str, ...]
    error: str | None
    seconds: float
    compilations: int = 0


@dataclass(frozen=True, eq=False, repr=False)
class Remedy(Record):
    """What came of a remedy (`remedies.Remedies.apply`), and how far its results are from the reference; `deviation`
    is None where nothing was compared. `apart` and `lost` are results, `missing` rows without one; `held` says what is
    to be known of the numbers.
    """

    outcome: str
    error: Error | None = None
    note: str | None = None
    held: str | None = None
    deviation: float | None = None
    tolerance: float | None = None
    apart: tuple[str, ...] = ()
    missing: int = 0
    lost: tuple[str, ...] = ()
    compared: int = 0
    outputs: int = 0
    results: int | None = None
    alone: int = 0
    seconds: float | None = None
    reference_seconds: float | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Draw(Record):
    """An op that draws random numbers (`portions`); `same` is None where it is not known what XLA draws."""

    op: str
    node: str
    key: tuple[str, ...] | None
    counter: tuple[str, ...] | None
    shape: Shape
    same: bool | None
    mask: bool
    fixed: bool
    sources: Frames
    call_sources: tuple[Frames, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Record):
    """Whether XLA gives what plain execution gives (`agreement.agreement`): agrees, diverges or not-checked."""

    result: str
    why: str | None = None
    kind: str = ""
    output: str = ""
    outputs: int = 0
    rounding: bool = False
    shapes: tuple[Shape, ...] = ()
    deviation: float | None = None
    plain: tuple[str, ...] = ()
    xla: tuple[str, ...] = ()
    message: str | None = None
    error: str | None = None
    node: PartingNode | None = None
    function: str = ""
    held: tuple[str, ...] = ()
    draws: tuple[Draw, ...] = ()
    clustered: bool = False
    calls: int = 0
    call: int | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Pairing(Record):
    """Which rows meet in a step (`pairing.pairing`): asked, no-rows or not-checked."""

    result: str
    why: str | None
    batch: int | None = None
    inputs: tuple[str, ...] = ()
    runs: int = 0
    left_out: Any = None
    filled: tuple[str, ...] = ()
    found: tuple[Any, ...] = ()
    mixes: tuple[Any, ...] = ()
    outputs: tuple[Any, ...] = ()
