"""The result of replaying a subject, as plain values (schema `xladoctor.replay/1`).

Like the diagnosis, everything here is frozen and holds only what JSON can hold. Each part of a replay (sweep,
isolation, parity, remedies, lowering, reproducer) fills one field; a part that was not requested is None.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

SCHEMA = "xladoctor.replay/1"

State = Literal["passed", "failed", "silent", "crashed", "timed-out", "refused"]
"""`silent`: no error, but rows or a contract are wrong. `refused`: the subject cannot be run in this way, with the
reason; that says nothing about the subject.
"""


def runs(sizes: Sequence[int]) -> list[str]:
    """Ascending sizes as they are requested, consecutive ones as a range: `["1", "4", "15:17"]`."""
    found: list[list[int]] = []
    for size in sizes:
        if found and size == found[-1][-1] + 1:
            found[-1].append(size)
        else:
            found.append([size])
    return [text for r in found for text in ([f"{r[0]}:{r[-1]}"] if len(r) > 2 else map(str, r))]


@dataclass(frozen=True)
class Signature:
    """What makes two failures the same: class, op and axes. Similar text is not enough, and sizes need not agree."""

    slug: str = field(metadata={"key": "class"})
    op: str | None = None
    axes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Case:
    """One thing to try: a batch size (rows; None is the size of the capsule) and what is varied, by name."""

    batch: int | None
    vary: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Outcome:
    """The result of a case. Times are in seconds; `compile_seconds` is the first call less a second one."""

    case: Case
    state: State
    signature: Signature | None = None
    message: str | None = None
    node: str | None = None
    location: str | None = None
    """file:line in function: the innermost line of the user's in the traceback, where a callable raised."""
    dims: tuple[Any, ...] = ()
    place: str | None = None
    """The first watched place whose contract is broken, if places are known."""
    promised: bool = True
    """Whether that contract is the user's own; a built-in one describes one version of one project."""
    rows_in: int | None = None
    rows_out: int | None = None
    leading: tuple[int | None, ...] = ()
    """The leading size of each result, None for one without axes."""
    shared: bool | None = None
    """Whether the trace was made for another size; None if there is none (a capsule has one graph for all)."""
    trace_seconds: float | None = None
    compile_seconds: float | None = None
    run_seconds: float | None = None
    note: str | None = None

    @property
    def bad(self) -> bool:
        """It shows that something is wrong."""
        return self.state in ("failed", "silent", "crashed", "timed-out")


@dataclass(frozen=True)
class Rule:
    """For which sizes the subject fails.

    `kind` is one of always, never, from, up-to, multiple, not-multiple, partial-batch, not-trained-size, set; `text`
    says it for people ("fails from 16 on (B*C >= 64)"). `seen` are the tries that the rule rests on: both neighbours
    of each boundary were run.
    """

    kind: str
    text: str
    value: int | None = None
    vary: tuple[tuple[str, str], ...] = ()
    seen: tuple[int, ...] = ()
    contradicted_by: tuple[int, ...] = ()


@dataclass(frozen=True)
class Sweep:
    """All outcomes, in the order of size, and the rules found in them, one for each combination of what was varied."""

    outcomes: tuple[Outcome, ...]
    rules: tuple[Rule, ...]
    asked: int
    """How many cases the user's ranges name."""
    tries: int
    """How many were run now (the others came from a resumed journal, or needed no try)."""
    compilations: int = 0
    seconds: float = 0.0
    complete: bool = True
    """False if the search was interrupted; `--resume` continues it."""


@dataclass(frozen=True)
class Link:
    """One step of the chain of a dynamic dimension, from its origin to the op that cannot carry it."""

    op: str
    node: str | None
    shape: str
    what: Literal["birth", "carries", "fails"]
    location: str | None = None
    """file:line in function, of the user's code."""
    computation: str | None = None
    """The HLO computation (a loop's body, a branch) that holds it, None at the top."""
    why: str | None = None
    """At the origin: what makes the dimension dynamic."""


@dataclass(frozen=True)
class ValueOrigin:
    """The origin of a value that XLA would have to know when it compiles, or of a size that depends on values.

    `kind`: an argument or a variable of the compiled function, a random number, data (as many elements as some
    condition holds for), or a loop (it changes from one iteration to the next).
    """

    kind: Literal["argument", "variable", "random", "data", "loop"]
    op: str
    node: str
    location: str | None = None
    """file:line in function, of the user's code."""


@dataclass(frozen=True)
class Isolation:
    """The first op that fails, and how it was found: by running, by compiling, or as the one that TensorFlow refused to
    make ("trace").
    """

    op: str
    node: str
    inputs: tuple[dict[str, Any], ...]
    """{"tensor", "shape", "dtype", "value"}"""
    signature: Signature | None
    message: str
    mode: Literal["run", "xla", "trace"]
    ops: int
    tries: int
    compilations: int
    seconds: float
    path: tuple[str, ...] = ()
    """Call, loop and branch nodes around it, outermost first."""
    layer: str | None = None
    location: str | None = None
    chain: tuple[Link, ...] = ()
    note: str | None = None
    number: int | None = None
    """Under XLA: the first ops up to this one, in program order, fail together."""
    stage: str | None = None
    """Under XLA: "hlo" if TensorFlow refuses to convert it, "optimized_hlo" if the compiler does."""
    origins: tuple[ValueOrigin, ...] = ()
    """For an op that needs a constant and got a computed value: the origins of that value, the nearest first."""


TESTS = {
    "size": "number of rows",
    "permuted": "rows in another order",
    "few": "the first rows in a smaller batch",
    "alone": "rows alone",
    "copies": "rows among copies of themselves",
}
"""The tests of one way on other rows, in words."""


@dataclass(frozen=True)
class DeviationMap:
    """Where two results of one output differ; deviations are relative to the largest magnitude of both."""

    rows: tuple[tuple[int, float], ...]
    """(row of the batch, the worst deviation in it or in the block that begins with it)."""
    block: int
    """How many rows each entry of `rows` stands for."""
    row: int
    """The worst row."""
    shape: tuple[int, int] | None = None
    """(height, width) of the worst row's picture, along its two longest axes."""
    cells: tuple[tuple[float, ...], ...] | None = None
    """Its deviations, at most 32 by 32, each the worst of its block."""


@dataclass(frozen=True)
class Agreement:
    """Two ways to compute the same thing, for one output. `deviation` is relative to the largest magnitude; for complex
    values also by `amplitude` and `phase` (wrapped, radians). `tolerance` is what rounding of the dtype explains.
    """

    output: str
    ways: tuple[str, str]
    agree: bool
    shapes: tuple[list[int] | None, list[int] | None]
    deviation: float | None = None
    tolerance: float | None = None
    amplitude: float | None = None
    phase: float | None = None
    rows: tuple[int, ...] = ()
    """The rows that differ (the first 32)."""
    slug: str | None = field(default=None, metadata={"key": "class"})
    """parity-divergence, wrong-shape-silent or wrong-pairing, if they do not agree."""
    test: str | None = None
    """None: both ways on the whole batch. Otherwise one way on other rows: permuted, alone, few (the first rows only),
    copies (one row throughout the batch), or size (how many rows come out at several sizes); see `TESTS`.
    """
    what: str | None = None
    """In words, what the numbers alone do not say: which rows depend on which, or that plain execution raises."""
    map: DeviationMap | None = None
    """Where they differ, for the worst outputs."""

    @property
    def between(self) -> str:
        """What was compared, in words: two ways, or a test of rows on one."""
        if self.test is not None:
            return f"{TESTS.get(self.test, self.test)} ({self.ways[0]})"
        return f"{self.ways[0]} against {self.ways[1]}"


@dataclass(frozen=True)
class Parity:
    """Eager, graph, XLA and reference; a row alone, in its batch and permuted."""

    ways: tuple[str, ...]
    agreements: tuple[Agreement, ...]
    not_comparable: tuple[str, ...] = ()
    """Outputs or ops left out, and why (random ops without a seed, no leading batch axis, ...)."""
    first_node: dict[str, Any] | None = None
    """{"node", "op", "location", "deviation", "message"}: the first node at which two ways diverge, or the op at which
    plain execution raises.
    """
    batch: int | None = None
    tries: int = 0
    seconds: float = 0.0
    rule: Rule | None = None
    """For which sizes a callable is silently wrong, if that was searched."""


@dataclass(frozen=True)
class Tested:
    """A remedy that was applied to the subject in a process of its own."""

    remedy: str
    title: str
    result: Literal["cured", "another failure", "no effect", "worse", "not applicable", "unverified"]
    """`unverified`: no error any more, but no reference for its numbers."""
    safety: str
    deviation: float | None = None
    speed_ratio: float | None = None
    changes_numerics: bool = False
    signature: Signature | None = None
    message: str | None = None
    how: str | None = None

    @property
    def verdict(self) -> Literal["verified", "failed", "untested"]:
        """What the trial means for the remedy: verified only if the failure is gone and the numbers are the same."""
        if self.result in ("not applicable", "unverified"):
            return "untested"
        return "verified" if self.result == "cured" and not self.changes_numerics else "failed"


@dataclass(frozen=True)
class Lowering:
    """The subject lowered for a platform that need not exist here: kernel registration and tf2xla, nothing of the
    device itself.
    """

    platform: str
    ok: bool
    seconds: float
    signature: Signature | None = None
    message: str | None = None
    unsupported: tuple[str, ...] = ()
    dynamic: tuple[Link, ...] = ()
    note: str | None = None
    refused: bool = False
    """This TensorFlow or the worker cannot lower for the platform; that says nothing about the subject."""


@dataclass(frozen=True)
class Repro:
    """A script that needs only TensorFlow and NumPy. `reproduced` is what a fresh process really did."""

    path: str
    lines: int
    reproduced: bool
    signature: Signature | None = None
    message: str | None = None
    tries: int = 0
    """How many times a smaller part of the step was tried on the way."""
    seconds: float = 0.0


@dataclass(frozen=True)
class Replay:
    """Everything that running a subject again showed."""

    subject: str
    sweep: Sweep | None = None
    nearest: Outcome | None = None
    """The passing case that is nearest to the smallest failing one (`--min-good`)."""
    isolated: Isolation | None = None
    parity: Parity | None = None
    remedies: tuple[Tested, ...] = ()
    lowering: Lowering | None = None
    repro: Repro | None = None
    notes: tuple[str, ...] = ()
    environment: dict[str, Any] = field(default_factory=dict)
    folder: str | None = None
    interrupted: bool = False
    tool_version: str = ""
    schema: str = SCHEMA

    @property
    def exit_code(self) -> int:
        """1 if anything failed or disagreed, 2 if nothing could be run, 3 if it could not be lowered, otherwise 0."""
        lowering = self.lowering
        bad = self.isolated is not None or (lowering is not None and not lowering.ok and not lowering.refused)
        bad = bad or (self.sweep is not None and any(o.bad for o in self.sweep.outcomes))
        if bad or (self.parity is not None and any(not a.agree for a in self.parity.agreements)):
            return 1
        tried = self.sweep.outcomes if self.sweep is not None else ()
        if tried and all(o.state == "refused" for o in tried):
            return 2
        return 3 if lowering is not None and lowering.refused else 0
