"""From a value that is not finite back to the op that made it first.

An op *makes* a NaN where none of its inputs has one; the infinity that it made it of may have an origin of its own. An
infinity that a program wrote down (a mask, the start of a maximum) is meant, and is no origin.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .. import compat
from .nan_values import Flags

# They only hand values on: where one of these has a NaN, what it got had one.
MOVES = frozenset(
    {
        "Identity", "IdentityN", "Reshape", "ExpandDims", "Squeeze", "StopGradient", "PreventGradient", "Transpose",
        "BroadcastTo", "Pack", "Unpack", "StridedSlice", "Slice", "Split", "SplitV", "ConcatV2", "Concat", "GatherV2",
        "Gather", "GatherNd", "Tile", "Pad", "PadV2", "MirrorPad", "Reverse", "ReverseV2", "Snapshot", "EnsureShape",
        "TensorListGetItem", "TensorListSetItem", "TensorListStack", "TensorListFromTensor", "TensorListPushBack",
        "TensorListPopBack", "TensorListReserve", "TensorListConcatV2", "TensorListConcat", "EmptyTensorList",
        "StridedSliceGrad", "DynamicStitch", "DynamicPartition", "ScatterNd", "TensorScatterUpdate", "Fill",
        "ZerosLike", "OnesLike",
    }
)  # fmt: skip
WRITTEN = frozenset({"Const", "_EagerConst"})
"""Ops whose infinities a program wrote down itself."""
READS = frozenset({"ReadVariableOp", "VariableV2", "VarHandleOp", "ResourceGather"})
DATA = frozenset(
    {"IteratorGetNext", "IteratorGetNextSync", "OptionalGetValue", "PyFunc", "EagerPyFunc", "PyFuncStateless"}
)
ARGUMENTS = frozenset({"Placeholder", "_Arg", "PlaceholderWithDefault"})


@dataclass(eq=False)
class Bad:
    """An op that gave something that is not finite, at the first time since it last gave finite values only."""

    op_type: str
    order: int
    run: int
    out: Flags
    inputs: list[tuple[Any, Flags]]
    """[(tensor, what of it is not finite)]: the inputs of which anything is not."""
    facts: dict[str, Any] = field(default_factory=dict)
    op: Any = None
    """The op of a graph; None for one that was executed eagerly."""

    @property
    def kind(self) -> str:
        """What it gave: "nan" goes before "inf"."""
        return "nan" if self.out.nan else "inf"

    @property
    def makes(self) -> str | None:
        """What it gave that it did not get, if anything."""
        got_nan, got_inf = any(f.nan for _, f in self.inputs), any(f.inf for _, f in self.inputs)
        if self.out.nan and not got_nan:
            return "nan"
        return "inf" if self.out.inf and not got_inf and not got_nan else None


@dataclass(frozen=True)
class Source:
    """Where a value comes from that no op computed: "data", "variable", "argument", "constant" (a NaN), or "written",
    an infinity that stands in the program.
    """

    kind: str
    tensor: Any


class Trace:
    """One search. `bad` gives the record of a tensor's op, or None where it gave finite values; `watched` says whether
    the op is looked at at all; `feed` is what a placeholder of the outermost graph was given; `body` the outputs of
    the function that an op calls.
    """

    def __init__(self, bad: Any, watched: Any, feed: Any, body: Any, inner: Iterable[Bad]) -> None:
        self.bad = bad
        self.watched = watched
        self.feed = feed
        self.body = body
        self.inner = sorted(inner, key=lambda b: b.order)
        self._seen: set[tuple[int, str]] = set()

    def origins(self, tensor: Any, kind: str) -> Iterator[Bad | Source]:
        """What made the NaN or infinity of a tensor: ops, or where it came from."""
        key = (id(tensor), kind)
        if key in self._seen or len(self._seen) > 20_000:
            return
        self._seen.add(key)
        record = self.bad(tensor)
        if record is not None:
            yield from self.of(record, kind)
            return
        op = getattr(tensor, "op", None) if hasattr(tensor, "graph") else None
        if op is None:
            # A single infinity is what `-np.inf` becomes.
            meant = kind == "inf" and compat.dims(getattr(tensor, "shape", None)) == []
            yield Source("written" if meant else "argument", tensor)
        elif op.type in WRITTEN:
            yield Source("written" if kind == "inf" else "constant", tensor)
        elif op.type in READS:
            # What a step makes is found when it is assigned: an infinity that lies there before was meant.
            yield Source("written" if kind == "inf" else "variable", tensor)
        elif op.type in DATA:
            yield from self._of_data(tensor)
        elif op.type in ARGUMENTS:
            yield from self._given(tensor, kind)
        elif is_call(op.type):
            yield from self._called(tensor, kind, 1 << 60)
        elif not self.watched(op):
            for parent in op.inputs:
                if parent.dtype.is_floating or parent.dtype.name == "variant":
                    yield from self.origins(parent, kind)

    def of(self, record: Bad, kind: str) -> Iterator[Bad | Source]:
        """The same of an op that is known to have given it."""
        parents = [t for t, f in record.inputs if f.has(kind)]
        if parents:
            for parent in parents:
                yield from self.origins(parent, kind)
            return
        if record.op_type in DATA:
            yield from self._of_data(record.facts.get("tensor"))
            return
        if is_call(record.op_type):
            yield from self._called(record.facts.get("tensor"), kind, record.order)
            return
        others = [t for t, f in record.inputs if f]
        made = [o for t in others for o in self.origins(t, "inf" if kind == "nan" else "nan")]
        real = [o for o in made if not (isinstance(o, Source) and o.kind == "written")]
        # A NaN out of an infinity that was meant is this op's own doing.
        yield from real or [record]

    def inside(self, kind: str, before: int) -> Iterator[Bad | Source]:
        """The first op of another graph that made one."""
        for record in self.inner:
            if record.makes and record.out.has(kind) and record.order <= before and not is_call(record.op_type):
                yield from self.of(record, kind)
                return

    def _called(self, tensor: Any, kind: str, before: int) -> Iterator[Bad | Source]:
        """What made the result of a function, by the way through its body, else by the order of execution."""
        outputs = self.body(tensor.op) if hasattr(tensor, "graph") else ()
        index = getattr(tensor, "value_index", 0)
        found = list(self.origins(outputs[index], kind)) if index < len(outputs) else []
        # What looks at an inner op may come to its turn after what looks at the call.
        yield from found or list(self.inside(kind, before)) or self.inside(kind, 1 << 60)

    def _of_data(self, tensor: Any) -> Iterator[Bad | Source]:
        """Data come from a dataset, whose functions are watched as well."""
        made = (r for r in self.inner if r.facts.get("data") and r.makes and not is_call(r.op_type))
        # What fetches an element makes nothing: the numbers came with the data.
        yield next((r for r in made if r.op_type not in DATA), None) or Source("data", tensor)

    def _given(self, tensor: Any, kind: str) -> Iterator[Bad | Source]:
        outer = self.feed(tensor)
        if outer is None:
            found = list(self.inside(kind, 1 << 60))
            yield from found or [Source("argument", tensor)]
        elif outer is tensor:
            yield Source("argument", tensor)
        else:
            yield from self.origins(outer, kind)


def is_call(op_type: str) -> bool:
    """Whether an op runs another function."""
    return op_type.startswith("__") or op_type in (
        "PartitionedCall", "StatefulPartitionedCall", "While", "StatelessWhile", "If", "StatelessIf", "Case",
        "StatelessCase", "MapDefun", "XlaLaunch",
    )  # fmt: skip


def chosen(found: Iterable[Bad | Source]) -> Bad | Source | None:
    """The first in the order of execution; an op before a source; None where all there is was meant."""
    real = [o for o in found if not (isinstance(o, Source) and o.kind == "written")]
    ops = sorted((o for o in real if isinstance(o, Bad)), key=lambda b: b.order)
    sources = [o for o in real if isinstance(o, Source)]
    rank = {"data": 0, "argument": 1, "variable": 2}
    return ops[0] if ops else min(sources, key=lambda s: rank.get(s.kind, 3)) if sources else None
