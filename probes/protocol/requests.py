"""What a worker can be asked: one class for each operation, with the type of its answer.

On the wire a request is {"id", "op", and the fields that do not hold their defaults}. A request about a capsule or a
callable is made without it: the doctor's end (`Bench`) says which one is meant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal, TypeVar, get_args

from . import answers, codec
from .answers import Edit

A = TypeVar("A")
Way = Literal["plain", "xla", "recorded", "graph", "eager"]
Stage = Literal["hlo", "optimized_hlo"]

REQUESTS: dict[str, type[Request[Any]]] = {}
"""Every operation by the name that it has on the wire."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Request(codec.Record, Generic[A]):
    """A question, to which the answer is an `A`."""

    OP: ClassVar[str] = ""
    ANSWER: ClassVar[Any] = None

    def __init_subclass__(cls, op: str = "") -> None:
        if op:
            cls.OP = op
            (cls.ANSWER,) = get_args(cls.__orig_bases__[0])  # type: ignore[attr-defined]
            REQUESTS[op] = cls

    def answer(self, value: Any) -> A:
        """The answer to it, from JSON; raises Misfit."""
        found: A = codec.from_json(self.ANSWER, value)
        return found

    def to_json(self) -> dict[str, Any]:
        """The request as it is written, with its operation."""
        return {"op": self.OP, **codec.to_json(self)}


def request_of(value: Any) -> Request[Any]:
    """The request in a JSON object.

    Raises:
        Misfit: there is no such operation, or it has other fields.
    """
    fields = {k: v for k, v in value.items() if k not in ("id", "op")} if isinstance(value, dict) else None
    if fields is None:
        raise codec.Misfit("a request is a JSON object")
    kind = REQUESTS.get(str(value.get("op")))
    if kind is None:
        raise codec.Misfit(f"unknown op {value.get('op')!r}; known are {', '.join(sorted(REQUESTS))}")
    try:
        found = codec.read(kind, fields, strict=True)
    except codec.Misfit as error:
        raise codec.Misfit(f"{kind.OP}: {error}") from None
    for name in ("capsule", "subject"):
        if getattr(found, name, None) == "":
            raise codec.Misfit(f"{kind.OP} needs {name!r}")
    return found


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
class OfCapsule(Request[A]):
    """A question about a capsule. `batch` is the number of rows, None for the recorded one; `static` binds the
    signature to it; `foreign` refuses a capsule with an op that may not run; `seal` is what the doctor knows it to be;
    without `values` random ones of the same range stand in for those that were kept.
    """

    capsule: str = ""
    batch: int | None = None
    static: bool = False
    foreign: bool = False
    seal: str | None = None
    values: bool = True


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OfSubject(Request[A]):
    """A question about a callable of the user's, `module:callable`, under these settings. `again` builds it twice."""

    subject: str = ""
    batch: int | None = None
    config: dict[str, str] | None = None
    arguments: dict[str, str] | None = None
    dtype: str | None = None
    again: bool = False


# -- capsules


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
class FindSizeOrigin(OfCapsule[answers.Origin | None], op="birth"):
    """At which op did an axis of a tensor take its size?"""

    graph: str
    tensor: str
    path: tuple[str, ...]
    axis: int
    known: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FindRowsOrigin(OfCapsule[answers.Origin | None], op="rows_birth"):
    """At which op did the first result that has not a row for each row of the batch lose them?"""


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
    """At which op do plain mode and XLA part, on the way to these outputs?"""

    outputs: tuple[str, ...]


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


# -- callables


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DescribeCallable(OfSubject[answers.Description], op="describe"):
    """What can it be varied in?"""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Call(OfSubject[answers.Attempt], op="call"):
    """What comes of a call? `own` gives the size a trace of its own."""

    way: Way = "graph"
    own: bool = False


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Capture(OfSubject[answers.Captured], op="capture"):
    """Keep it as a capsule in this folder."""

    folder: str
    way: Way = "graph"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ListWritten(OfSubject[dict[str, str]], op="written"):
    """Which settings does its program write while it is imported and built?"""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ListRead(OfSubject[tuple[str, ...] | None], op="settings_read"):
    """Which settings does it ask for? None: not known."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FindRefusedOp(OfSubject[answers.RefusedOp | None], op="halted"):
    """Which op does TensorFlow refuse to make while a graph is made of it?"""

    way: Way = "graph"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class WriteTraceScript(OfSubject[str], op="script_of_trace"):
    """A script of that op."""

    title: str
    way: Way = "graph"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CompareCallable(OfSubject[answers.Ways], op="parity_call"):
    """It is kept as a capsule in `folder` and compared as `CompareWays` does, and called from Python: in all three
    ways, or in those that are named. `save_reference` keeps what its reference gives.
    """

    folder: str
    ways: tuple[str, ...] = ("xla",)
    save: str | None = None
    against: tuple[tuple[str, str], ...] = ()
    save_way: str = "plain"
    python: tuple[str, ...] = ("tf.function", "eager", "reference")
    save_reference: str | None = None
