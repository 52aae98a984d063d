"""What a worker can be asked: one class for each operation, with the type of its answer.

On the wire a request is {"id", "op", and the fields that do not hold their defaults}. A request about a capsule or a
callable is made without it: the doctor's end (`Bench`) says which one is meant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import answers
from .answers import Edit
from .asking import REQUESTS as REQUESTS
from .asking import A as A
from .asking import OfCapsule as OfCapsule
from .asking import OfSubject as OfSubject
from .asking import Request as Request
from .asking import Stage as Stage
from .asking import Way as Way
from .asking import request_of as request_of
from .callables import Call as Call
from .callables import Capture as Capture
from .callables import CompareCallable as CompareCallable
from .callables import DescribeCallable as DescribeCallable
from .callables import FindRefusedOp as FindRefusedOp
from .callables import ListRead as ListRead
from .callables import ListWritten as ListWritten
from .callables import WriteTraceScript as WriteTraceScript


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Hello(Request[answers.Hello], op="hello"):
    """Who are you? `tensorflow` imports it, so that the next question does not wait for it."""

    tensorflow: bool = False


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Goodbye(Request[str], op="goodbye"):
    """End the process."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RemakeOp(Request[answers.Remade], op="remade"):
    """Make one op once more, from what is recorded of it (`remade.remade`)."""

    type: str
    inputs: tuple[dict[str, Any], ...]
    attributes: dict[str, str] | None = None
    eager: bool = False


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CompareTwoWays(Request[answers.TwoWays], op="two_ways"):
    """Do two ways of one function give the same? Each is a program that has it under `name` (`two_ways.two_ways`).
    `trials` are programs of the way that the run took (`taken`), each with one sign changed.
    """

    on: str
    off: str
    name: str
    count: int
    taken: str = "on"
    trials: tuple[str, ...] = ()
    shapes: tuple[tuple[tuple[int, ...], ...], ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Load(OfCapsule[answers.Loaded], op="load"):
    """What does it hold?"""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FindShapes(OfCapsule[answers.Shapes], op="shapes"):
    """With which shapes were recorded places entered? {"id", "graph", "tensors"} of each."""

    wanted: tuple[dict[str, Any], ...]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FindFailingOp(OfCapsule[answers.FailingOp | None], op="failing_op"):
    """Which op fails first when the step is run plainly?"""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TryOptimizers(OfCapsule[answers.TriedOptimizers], op="optimizers"):
    """Which of TensorFlow's graph optimizers makes the difference?"""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FindSizeOrigin(OfCapsule[answers.Origin | None], op="birth"):
    """At which op did an axis of a tensor take its size?"""

    graph: str
    tensor: str
    path: tuple[str, ...]
    axis: int
    known: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FindRowsOrigin(OfCapsule[answers.Origin | None], op="rows_birth"):
    """At which op did the first result without a row for each row of the batch lose them?"""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Run(OfCapsule[answers.Outcome], op="run"):
    """What comes of the whole step, plainly or as one XLA program?"""

    jit: bool = False


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Compare(OfCapsule[answers.Comparison], op="compare"):
    """What comes of it in both ways?"""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Lower(OfCapsule[answers.Lowered], op="lower"):
    """Its HLO text."""

    platform: str = "cpu"
    stage: Stage = "hlo"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LowerFor(OfCapsule[answers.LoweredFor], op="lowered_for"):
    """What of it has no kernel for a platform? The HLO text goes into the file `text`."""

    platform: str = "gpu"
    text: str | None = None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CountOps(OfCapsule[answers.Outline], op="outline"):
    """How many ops are there in program order? `listed` names them."""

    listed: bool = False


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CompilePrefix(OfCapsule[answers.Compiled], op="prefix"):
    """Do the first `ops` compile? None are all. The text of what was compiled goes into the file `save`."""

    ops: int | None = None
    stage: Stage = "optimized_hlo"
    save: str | None = None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DescribeOp(OfCapsule[answers.Spot], op="spot"):
    """What is this op, by its number?"""

    ops: int


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FindValueOrigins(OfCapsule[answers.ValueOrigins], op="origins"):
    """Where do the values of its inputs come from? Of these inputs, or of all."""

    ops: int
    inputs: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ReduceCore(OfCapsule[answers.Compiled], op="reduce"):
    """Does this op with all that it depends on compile after some edits? `before` leaves out the op itself."""

    ops: int
    edits: tuple[Edit, ...] = ()
    stage: Stage = "optimized_hlo"
    save: str | None = None
    before: bool = False
    listed: bool = False
    names: bool = False


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class WriteCoreScript(OfCapsule[str], op="script"):
    """A script of this op with all that it depends on, after some edits."""

    ops: int
    title: str
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class WriteRunScript(OfCapsule[str], op="script_of_run"):
    """A script of the op that fails when the step is run plainly."""

    title: str


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ReadValues(OfCapsule[dict[str, Any]], op="values"):
    """The values of small integer tensors on the way to an op, by "frame tensor"."""

    ops: int
    tensors: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OfSilent(OfCapsule[A]):
    """A question about a silent finding in one output: `test` says what shows it (`silent`)."""

    test: dict[str, Any]
    output: str
    node: str | None = None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ListSilent(OfSilent[answers.SilentPart], op="silent"):
    """The part of the step that shows it, and what there is to edit."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ReduceSilent(OfSilent[answers.Shown], op="silent_reduce"):
    """Does it show after these edits?"""

    edits: tuple[Edit, ...] = ()
    names: bool = False


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class WriteSilentScript(OfSilent[str], op="silent_script"):
    """A script that shows it after these edits."""

    title: str
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FindSources(OfCapsule[dict[str, tuple[answers.NodeSource, ...]]], op="sources"):
    """Which lines made these nodes, named as in a library function (in the metadata of HLO, say)?"""

    nodes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class JudgePositions(OfCapsule[answers.Judgement], op="judged"):
    """Which of two capsules that should compute the same is wrong, in float64? `other` is the second folder."""

    other: str = ""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MeasureMemory(OfCapsule[answers.Memory], op="memory"):
    """How much memory does a plain run take?"""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DigestGraph(OfCapsule[answers.Digest], op="digest"):
    """A hash of the graph."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FindBaked(OfCapsule[tuple[answers.Baked, ...]], op="baked"):
    """What does XLA make a constant of? `table` says which inputs of which ops it needs so."""

    table: dict[str, dict[str, str]]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TryBatch(OfCapsule[answers.Attempt], op="attempt"):
    """What comes of it at this size? `deterministic`: as after `enable_op_determinism`."""

    way: Way = "recorded"
    wanted: tuple[dict[str, Any], ...] = ()
    deterministic: bool = False


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ReadFacts(OfCapsule[answers.Facts], op="facts"):
    """Which sizes can be tried?"""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CompareWays(OfCapsule[answers.Ways], op="parity"):
    """Do these ways give what the plain one gives? `save` keeps the results of a way in a file; `against` are (way,
    file) of results that were kept so.
    """

    ways: tuple[str, ...] = ("xla",)
    save: str | None = None
    against: tuple[tuple[str, str], ...] = ()
    save_way: str = "plain"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CompareRows(OfCapsule[answers.Rows], op="parity_rows"):
    """Does each row give the same whatever stands beside it?"""

    way: Way = "plain"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FindFirstNode(OfCapsule[answers.FirstNode], op="parity_node"):
    """At which op do plain mode and XLA part, on the way to these outputs? The search ends after so many seconds."""

    outputs: tuple[str, ...]
    seconds: float | None = None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TryRemedy(OfCapsule[answers.Remedy], op="remedy"):
    """What comes of a remedy? `apply` is {"kind", and what it needs} (`remedies.Remedies`), `reference` a file of
    results that are the right ones, `by_row`: a result should have a row for each row of the arguments.
    """

    apply: dict[str, Any]
    way: Way = "plain"
    by_row: bool = False
    reference: str | None = None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CheckAgreement(OfCapsule[answers.Agreement], op="agreement"):
    """Does XLA give what plain execution gives on the values of the first call? With `whole` no op is looked for."""

    whole: bool = False


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CheckLaterCalls(OfCapsule[answers.Agreement], op="agreement_later"):
    """And on the values of later calls, for so many seconds?"""

    later: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CheckPairing(OfCapsule[answers.Pairing], op="pairing"):
    """Which rows meet? `sizes` are tried where a small batch cannot be run; `by_row`: each row should give one."""

    sizes: tuple[int, ...] = ()
    by_row: bool = False


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CheckOwnGradients(OfCapsule[answers.OwnGradients], op="own_gradients"):
    """Are gradients of the program's own, as `own-gradient` events tell of them, those that differences give?"""

    marks: tuple[dict[str, Any], ...]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ExplainData(OfCapsule[answers.Explained], op="explain"):
    """What can the part behind the last weights make of the recorded rows (`explained.explained`)?"""

    seconds: float
