"""A shape trace, and two side by side, as data: what `diagnosis.trace` and `trace_diff` make and the renderers show."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from xladoctor.model.diagnosis import Location, ShapeRow

TRACE_SCHEMA = "xladoctor.trace/1"
DIFF_SCHEMA = "xladoctor.trace-diff/1"

Outcome = Literal["well", "failed", "rows", "eager"]
Values = Literal["exact", "redrawn", "random", "none"]
Kind = Literal["state", "shape", "violation", "only-in-a", "only-in-b"]


@dataclass(frozen=True)
class Name:
    """A name that had a value in the run: an axis of a contract, or an expression over such axes."""

    name: str
    value: int
    by: str
    rank: int = 0


@dataclass(frozen=True)
class WatchedPlace:
    """A place of the run: `found` is False where the target has no such name, or never imported its module."""

    place: str
    contract: str | None
    origin: str
    found: bool
    reason: str | None = None
    location: Location | None = None


@dataclass(frozen=True)
class TracedStep:
    """One distinct watched call.

    Attributes:
        name: what was called, in words: `fit of autoencoder`.
        outcome: well, failed, rows (it returned another number of rows than it took) or eager.
        values: the values from which the run-time shapes were computed: exact (this batch), redrawn (rows of the
            call's data), random, or none (no worker computed them: shapes as traced only).
        batch: the number of rows at which the worker ran it.
        times: how many calls of it were recorded.
        names: every name that had a value in it, for explaining sizes.
        shapes: one row for each tensor, in call order.
    """

    name: str
    outcome: Outcome
    values: Values = "none"
    batch: int | None = None
    rows_in: int | None = None
    times: int = 1
    function: str | None = None
    xla: bool | None = None
    capsule: str | None = None
    pid: int | None = None
    location: Location | None = None
    bindings: tuple[Name, ...] = ()
    names: tuple[Name, ...] = ()
    shapes: tuple[ShapeRow, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def broken(self) -> tuple[ShapeRow, ...]:
        """The rows that break their contract."""
        return tuple(r for r in self.shapes if r.violation)


@dataclass(frozen=True)
class LayerRow:
    """A Keras layer that was called.

    Attributes:
        depth: 0 for a model, or for a layer that the program calls itself.
        made: the line that constructs it; `called`: the line that calls it first.
        inputs: shapes as traced, with None for an open axis; `outputs` the same.
        batches: the recorded sizes of the first axis, if known.
        parameters: how many numbers its weights hold; `trainable` those that are trained.
    """

    name: str
    cls: str
    depth: int = 0
    made: Location | None = None
    called: Location | None = None
    inputs: tuple[Any, ...] = ()
    outputs: tuple[Any, ...] = ()
    batches: tuple[int, ...] = ()
    parameters: int = 0
    trainable: int = 0


@dataclass(frozen=True)
class FunctionRow:
    """A user function that TensorFlow traced, how often, and the inputs of its last trace."""

    name: str
    defined: Location | None
    called: Location | None
    traces: int
    inputs: tuple[str, ...] = ()
    xla: bool | None = None


@dataclass(frozen=True)
class Trace:
    """The trace of one run."""

    source: str
    verdict: Literal["broken", "kept", "empty"]
    steps: tuple[TracedStep, ...] = ()
    places: tuple[WatchedPlace, ...] = ()
    layers: tuple[LayerRow, ...] = ()
    functions: tuple[FunctionRow, ...] = ()
    environment: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    tool_version: str = ""
    schema: str = TRACE_SCHEMA

    @property
    def exit_code(self) -> int:
        """2 if part of the input could not be read, else 1 if a contract is broken, else 0."""
        return 2 if self.problems else int(self.verdict == "broken")


@dataclass(frozen=True)
class RowDiff:
    """One tensor that differs: its row in each run, and its shape in each run in names: `(B*C P P 1)`."""

    kinds: tuple[Kind, ...]
    a: ShapeRow | None
    b: ShapeRow | None
    named_a: str | None = None
    named_b: str | None = None
    first: bool = False

    @property
    def row(self) -> ShapeRow:
        """The row of the first run, or of the second if the first has none."""
        found = self.a or self.b
        assert found is not None
        return found


@dataclass(frozen=True)
class StepDiff:
    """One step in both runs, or in one of them: how many tensors are the same, and those that differ, in call order."""

    name: str
    a: TracedStep | None
    b: TracedStep | None
    same: int = 0
    rows: tuple[RowDiff, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class TraceDiff:
    """What two runs have in common, and where they differ."""

    a: str
    b: str
    steps: tuple[StepDiff, ...] = ()
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    tool_version: str = ""
    schema: str = DIFF_SCHEMA

    @property
    def first(self) -> tuple[StepDiff, RowDiff] | None:
        """The first place that differs, and its step."""
        return next(((s, r) for s in self.steps for r in s.rows if r.first), None)

    @property
    def first_broken(self) -> tuple[StepDiff, RowDiff] | None:
        """The first contract that is broken in one run only, and its step."""
        return next(((s, r) for s in self.steps for r in s.rows if "violation" in r.kinds), None)

    @property
    def differs(self) -> bool:
        """Whether the runs differ at any place, or in what was called."""
        return any(s.rows or s.a is None or s.b is None for s in self.steps)

    @property
    def empty(self) -> bool:
        """Whether neither run has a tensor at a watched place, so that nothing was compared."""
        return not self.differs and not any(s.same for s in self.steps)

    @property
    def exit_code(self) -> int:
        """2 if part of the input could not be read or nothing was compared, else 1 if the runs differ, else 0."""
        return 2 if self.problems or self.empty else int(self.differs)
