"""What workers answer where two ways to compute the same are compared.

A field without a default is in every answer; one with a default is there where it says more. Shapes, times and frames
are written as `answers` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .codec import Record
from .outcomes import Error, Frames, Outcome, Shape


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
    flushed: bool | None = None
    """Of one that decides: XLA takes what it is given for zero, since it is below the smallest normal number."""


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
    before: PartingNode | None = None
    """On the way to a `node` that raises: the first op that gives something else."""
    tie: PartingNode | None = None
    function: str = ""
    held: tuple[str, ...] = ()
    draws: tuple[Draw, ...] = ()
    clustered: bool = False
    calls: int = 0
    call: int | None = None


@dataclass(frozen=True, eq=False, repr=False)
class TwoWays(Record):
    """How two ways of one function compare (`two_ways.two_ways`): alike, negated, swapped or swapped-negated (of an
    argument), scaled (by a factor), apart.
    """

    relation: str
    argument: int | None = None
    factor: float | None = None
    deviation: float = 0.0
    agreeing: tuple[int, ...] = ()
    """The numbers of the trials that give what the other way does."""


@dataclass(frozen=True, eq=False, repr=False)
class PlacedOp(Record):
    """An op of a step, and the lines of the user's that made it."""

    node: str
    op: str
    sources: Frames
    call_sources: tuple[Frames, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Mispairing(PlacedOp):
    """An op that puts rows together that do not belong together.

    `kind`: outer, groups, lost, torn, exchanged, normalised, gathered, segments, contracted, rolled, mixed, classes,
    alone, off-transform, wrapped or fewer. `shapes` are those of the operands and the result, `parts` prediction or
    data; `comes_out`: the pairs are a result; `natural`: no op was there only to give an operand its shape; `made`:
    where it was given; `examples`: [rows of one operand, rows of the other].
    `given` are the operands of an op that loses rows.
    """

    kind: str
    shapes: tuple[Shape | None, ...]
    parts: tuple[str, ...]
    natural: bool
    comes_out: bool
    made: PlacedOp | None
    examples: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    given: tuple[tuple[int | str | None, ...] | None, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class PooledRows(PlacedOp):
    """A reduction over the rows that is given back to each row: `shapes` of what is reduced and of the result, `over`
    the shape that the op `meets` spreads it over.
    """

    shapes: tuple[Shape, Shape]
    over: Shape
    meets: PlacedOp


@dataclass(frozen=True, eq=False, repr=False)
class OutputRows(Record):
    """Whether the first axis of a result are the rows, and each of its elements depends on one."""

    output: int
    shape: Shape
    rows: bool
    alone: bool


@dataclass(frozen=True, eq=False, repr=False)
class Pairing(Record):
    """Which rows meet in a step (`pairing.pairing`): asked, no-rows (no input has any) or not-checked. `mixes` are ops
    that make elements depend on several rows.
    """

    result: str
    why: str | None
    batch: int | None = None
    inputs: tuple[str, ...] = ()
    runs: int = 0
    left_out: Any = None
    filled: tuple[str, ...] = ()
    found: tuple[Mispairing, ...] = ()
    mixes: tuple[PlacedOp, ...] = ()
    pooled: tuple[PooledRows, ...] = ()
    outputs: tuple[OutputRows, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class OwnGradients(Record):
    """Gradients of the program's own against differences (`own_gradients.own_gradients`): asked or not-checked."""

    result: str
    why: str | None
    found: tuple[dict[str, Any], ...] = ()
    passed: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Explained(Record):
    """What the fixed part of a model can make of its data (`explained.explained`): asked, none or not-checked. `used`
    and `rest` have the frames of the places at which the input is turned, and of its other ones, `divisor` those of
    what patches that overlap are divided by, where that makes no mean of them. `trip`: how much a second pass of
    patches through the part changes, as it is and with the turn, where the places disagree and the data fit both.
    """

    result: str
    why: str | None
    relation: str | None = None
    input: str | None = None
    start: float = 0.0
    residual: float = 0.0
    other: float | None = None
    factor: float = 1.0
    rows: int = 0
    change: str | None = None
    meeting: tuple[Any, ...] = ()
    used: tuple[Any, ...] = ()
    rest: tuple[Any, ...] = ()
    transforms: tuple[Any, ...] = ()
    divisor: tuple[Any, ...] = ()
    trip: tuple[Any, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Judgement(Record):
    """Two graphs that should compute the same, as they are and in float64, on the same inputs.

    `apart` is the largest deviation of their outputs, `exact` that in float64, `lost` of each from its own float64;
    `wrong` is the one that rounding spoilt (0, 1, or None). Where nothing can be told, `apart` is None: `why` says so.
    """

    apart: float | None
    exact: float | None = None
    lost: tuple[float | None, ...] = ()
    wrong: int | None = None
    why: str | None = None
