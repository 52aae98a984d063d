"""The diagnosis as plain values, which rules return, the engine orders and renderers show.

Every class here is frozen and holds only what JSON can hold, so that a diagnosis can be written, read back and
compared. Nothing in this module prints, reads files or knows a renderer.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Literal

from xladoctor.model.frozen import dataclass
from xladoctor.model.location import Location as Location

if TYPE_CHECKING:
    from xladoctor.model.blame import Constraint, Provenance, Suspect

SCHEMA = "xladoctor.diagnosis/1"

Level = Literal["error", "warning", "note"]
Role = Literal["root", "consequence"]
Status = Literal["confirmed", "refuted", "untested"]
Result = Literal["verified", "failed", "untested"]
Safety = Literal["safe", "slower", "changes-numerics", "risky"]
Checked = Literal["agrees", "diverges", "not-checked"]
Verdict = Literal["failed", "warnings", "healthy"]


@dataclass(frozen=True)
class Proof:
    """One piece of evidence: what was seen, and where to find it again.

    `kind` is one of log, event, shape, setting, worker, source, environment, process; `where` names the file and line
    (or the event's sequence number) inside the run folder or the log.
    """

    kind: str
    text: str
    where: str | None = None


@dataclass(frozen=True)
class Basis:
    """What a status rests on, with its sentence.

    `tested`: a test of this run that could have failed. `observed`: the recording shows it. `text`: the output says it.
    """

    kind: Literal["tested", "observed", "text", "untested"]
    sentence: str


@dataclass(frozen=True)
class Change:
    """A line of a file as it is (`old`), and as it would be."""

    file: str
    line: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"`{self.new}` instead of `{self.old}`."


@dataclass(frozen=True)
class Remedy:
    """A change that should cure the failure. It is `untested` until somebody has run it. `how` describes all of it; if
    the remedy is an edit of a line, it begins with the words of `change`.
    """

    id: str
    title: str
    safety: Safety
    how: str
    result: Result = "untested"
    deviation: float | None = None
    speed_ratio: float | None = None
    change: Change | None = None


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong (or worth knowing), with its evidence.

    `op`, `node`, `device` and `dims` are what the message or the recording names, as written there. `slug` is the class
    of the taxonomy (`class` in JSON). `details` holds the fields of this class alone (contract, bindings, factors,
    ...).

    `location` is the line most likely at fault: that of `suspects[0]` if the evidence is decisive, otherwise the one
    that raised. `raised_at` is always the one that raised, if the doctor looked for suspects (docs/blame.md).
    """

    code: str
    slug: str
    level: Level
    role: Role
    title: str
    message: str
    op: str | None = None
    node: str | None = None
    device: str | None = None
    dims: tuple[Any, ...] = ()
    layer: str | None = None
    location: Location | None = None
    evidence: tuple[Proof, ...] = ()
    status: Status = "untested"
    remedies: tuple[Remedy, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)
    basis: Basis | None = None
    raised_at: Location | None = None
    constraint: Constraint | None = None
    provenance: tuple[Provenance, ...] = ()
    suspects: tuple[Suspect, ...] = ()


@dataclass(frozen=True)
class Hypothesis:
    """A claim that somebody made (`origin`), and the verdict of the evidence."""

    id: str
    title: str
    origin: str
    verdict: Status
    evidence: tuple[Proof, ...] = ()
    basis: Basis | None = None


@dataclass(frozen=True)
class XlaPath:
    """One mechanism by which XLA compiled a function in the run, or did not."""

    mechanism: str
    function: str | None
    requested: str
    resolved: str
    effective: bool | None
    governed_by: tuple[str, ...] = ()
    location: Location | None = None
    note: str | None = None


@dataclass(frozen=True)
class SettingEvent:
    """One write or deciding read of a setting. `t` is seconds since the start of the process."""

    t: float
    store: str
    key: str
    action: str
    value: Any
    location: Location | None = None
    note: str | None = None
    pid: int | None = None


@dataclass(frozen=True)
class ShapeRow:
    """One tensor at one watched place. Shapes are lists of int or None (unknown when traced). `runtime` is None if the
    tensor was never evaluated. `state` says why: executed, not-executed (a branch that was traced but not taken),
    failed (the op that computes it, or one before it, fails) or static-only (no worker computed it).
    """

    place: str
    phase: Literal["in", "out"]
    tensor: str
    contract: str | None
    static: list[int | None] | None
    runtime: list[int] | None = None
    state: Literal["executed", "not-executed", "failed", "static-only"] = "static-only"
    axes: dict[str, Any] = field(default_factory=dict)
    violation: str | None = None
    first_violation: bool = False
    layer: str | None = None
    function: str | None = None
    node: str | None = None
    caller: Location | None = None
    location: Location | None = None
    call: int | None = None
    iteration: int | None = None


@dataclass(frozen=True)
class Compilation:
    """A trace of a `tf.function` (or a compilation by XLA) in the run."""

    function: str
    kind: Literal["trace", "compile"]
    inputs: tuple[str, ...] = ()
    seconds: float | None = None
    xla: bool | None = None
    location: Location | None = None


@dataclass(frozen=True)
class StackFrame:
    """One frame of a stack. `user` is False for Python's own files and those of libraries.

    `marks` are what Python printed under `code`, aligned with it (` ~~^~~`), if it printed any.
    """

    file: str
    line: int | None = None
    function: str | None = None
    user: bool = True
    code: str | None = None
    marks: str | None = None


@dataclass(frozen=True)
class Check:
    """One thing that was compared after a run that ended well, or that could not be compared (`why`), on `calls` calls.

    A compiled function agrees or diverges with plain execution, `rows` with the rows that they belong to, the
    `gradients` of an optimizer with its variables, each of which must have one, and `own-gradients` of a function that
    has a gradient of the program's own with differences of it. `kept-values` of a function agree if
    they are still those of its graph, `callbacks` of a fit if it reported what they monitor, and `batches` if nothing
    wrong was found in the order, the end and the cuts of the data of a Keras call. `hazards` are the ops of a compiled
    function that was not compared which can differ under XLA without an error (docs/atlas.md), gravest first.
    """

    what: Literal["compiled-function", "rows", "gradients", "own-gradients", "kept-values", "callbacks", "batches"]
    function: str
    calls: int = 0
    result: Checked = "not-checked"
    why: str | None = None
    location: Location | None = None
    hazards: tuple[str, ...] = ()


@dataclass(frozen=True)
class CallStack:
    """A stack of the failure, outermost frame first.

    `what` says which: that of the exception as Python raised it, of the call in the graph whose op failed, of the
    definition of that op, or of the origin of the wrong size. `of` names the exception or the op.
    """

    what: Literal["exception", "call", "definition", "birth"]
    of: str
    frames: tuple[StackFrame, ...] = ()
    where: str | None = None
    note: str | None = None


@dataclass(frozen=True)
class Diagnosis:
    """The result of one run or one log. The root cause stands first in `findings`.

    `notes` are for the reader; `problems` say which part of the input could not be read (everything else was used).
    """

    source: str
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()
    xla_paths: tuple[XlaPath, ...] = ()
    settings: tuple[SettingEvent, ...] = ()
    shapes: tuple[ShapeRow, ...] = ()
    compilations: tuple[Compilation, ...] = ()
    stacks: tuple[CallStack, ...] = ()
    checked: tuple[Check, ...] = ()
    isolated: dict[str, Any] | None = None
    reproducer: str | None = None
    environment: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    tool_version: str = ""
    schema: str = SCHEMA

    @property
    def root(self) -> Finding | None:
        """The root finding, or None in a healthy run."""
        return next((f for f in self.findings if f.role == "root"), None)

    def with_finding(self, old: Finding, new: Finding) -> Diagnosis:
        """The same, with one finding replaced by another."""
        return replace(self, findings=tuple(new if f is old else f for f in self.findings))

    @property
    def exit_code(self) -> int:
        """2 if part of the input could not be read, else 1 if there are findings at error level, else 0."""
        return 2 if self.problems else int(any(f.level == "error" for f in self.findings))
