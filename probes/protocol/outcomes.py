"""What workers answer about a worker, a capsule, and one run of it.

A field without a default is in every answer; one with a default is there where it says more. Shapes, times and frames
are written as `answers` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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


@dataclass(frozen=True, repr=False)
class OptimizerTry(Record):
    """What came of a step with certain graph optimizers: where it failed, the nodes that the message names."""

    outcome: str
    nodes: tuple[str, ...] = ()
    kind: str | None = None
    message: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class TriedOptimizers(Record):
    """A step with every optimizer of TensorFlow, with none, and with a single one off (`optimizers.tried`); None where
    it does not end in the same way each time. Those are `decisive` without which it ends otherwise than with all.
    """

    every: OptimizerTry | None
    none: OptimizerTry | None
    single: dict[str, OptimizerTry]
    decisive: tuple[str, ...]
    filled: tuple[str, ...] = ()


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
