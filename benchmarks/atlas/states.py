"""Ops that keep a state or draw random numbers, and compositions: a call of them is what it gives and what it leaves.

Variables get their first values, and the global seed is set, before each way to run one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from benchmarks.atlas.compare import Outcome, difference
from benchmarks.atlas.edges import Edge
from benchmarks.atlas.run import PREFIX, Ways
from benchmarks.provoke import ops
from benchmarks.provoke.bases import Call
from benchmarks.provoke.values import FLOAT, INT32, INT64, RESOURCE, UINT64, Value
from xladoctor.rules.atlas import MINOR, PROGRAM

ALONE = Edge(PROGRAM, "", {})
"""The one input of a composition: what its program gives it."""
_VALUES, _ROWS = Value(FLOAT, (4, 2)), Value(FLOAT, (4, 2), "reversed")
_SLOT, _RATE, _AT = Value(FLOAT, (4, 2), "1"), Value(FLOAT, (), "0.5"), Value(INT32, (2,), "iota")
_SHAPE, _KEY = Value(INT32, (2,), "4"), Value(INT64, (3,), "1")
_PHILOX = Value(INT64, (), "1")
_SEED = {"seed": 3, "seed2": 5}
_HOW = ("Add", "Sub", "Mul", "Div", "Min", "Max", "Update")
_HANDLE = "it needs a handle that another op makes in the same call: see the compositions of TensorArray"
_BODY = "it takes functions: see the compositions of loops and branches"
_GROUP = "it needs a group of workers"
LEFT_OUT = {
    **dict.fromkeys(("Case", "If", "While", "StatefulPartitionedCall"), _BODY),
    **dict.fromkeys(("CollectiveAssignGroupV2", "CollectiveReduceV2"), _GROUP),
    **dict.fromkeys(("StackCloseV2", "StackPopV2", "StackPushV2", "StackV2"), _HANDLE),
    **{
        f"TensorArray{what}V3": _HANDLE
        for what in ("Close", "Concat", "Gather", "Grad", "Read", "Scatter", "Size", "Split", "", "Write")
    },
    "DeviceIndex": "it says where it runs",
}


def _call(op: str, attributes: Mapping[str, Any] | None = None, **inputs: Value) -> Call:
    return Call(op, tuple(inputs.items()), tuple((attributes or {}).items()))


def _optimiser(op: str) -> Call:
    """A step of an optimiser: what it remembers is 1 everywhere, its numbers are 0.5."""
    kinds = {"var": _VALUES, "grad": _ROWS, "delta": _ROWS, "lr_power": Value(FLOAT, (), "-0.5")}
    kinds["global_step"] = Value(INT64, (), "1")
    arguments = ops.definition(op).input_arg
    return _call(op, None, **{a.name: kinds.get(a.name, _SLOT if a.type == RESOURCE else _RATE) for a in arguments})


def calls() -> Mapping[str, Call]:
    """{op: a valid call}; where an input is a resource, the value is what it holds."""
    import tensorflow as tf

    scatter = {"resource": _VALUES, "indices": _AT, "updates": Value(FLOAT, (2, 2), "reversed")}
    nd = {"ref": _VALUES, "indices": Value(INT32, (2, 1), "iota"), "updates": Value(FLOAT, (2, 2), "reversed")}
    slices = {name: Value(INT32, (1,), fill) for name, fill in (("begin", "0"), ("end", "4"), ("strides", "1"))}
    generator = {"resource": _KEY, "algorithm": _PHILOX}
    drawn = {**generator, "shape": _SHAPE}
    limits = {"minval": Value(INT32, (), "0"), "maxval": Value(INT32, (), "8")}
    return {
        call.op: call
        for call in (
            *(_optimiser(op) for op in dir(tf.raw_ops) if op.startswith("ResourceApply")),
            *(_call(f"ResourceScatter{how}", None, **scatter) for how in _HOW if how != "Div"),
            _call("ResourceScatterDiv", None, **{**scatter, "updates": Value(FLOAT, (2, 2), "2")}),
            *(_call(f"ResourceScatterNd{what}", None, **nd) for what in ("Add", "Sub", "Update")),
            *(_call(f"Assign{how}VariableOp", None, resource=_VALUES, value=_ROWS) for how in ("", "Add", "Sub")),
            _call("ReadVariableOp", {"dtype": FLOAT}, resource=_VALUES),
            _call("VariableShape", None, input=_VALUES),
            _call("VarIsInitializedOp", None, resource=_VALUES),
            _call("ResourceGather", {"dtype": FLOAT}, resource=_VALUES, indices=_AT),
            _call("ResourceStridedSliceAssign", None, ref=_VALUES, **slices, value=_ROWS),
            _call("CheckNumerics", {"message": "not finite"}, tensor=_VALUES),
            _call("Empty", {"dtype": FLOAT, "init": True}, shape=_SHAPE),
            _call("RandomUniform", {"dtype": FLOAT, **_SEED}, shape=_SHAPE),
            _call("RandomStandardNormal", {"dtype": FLOAT, **_SEED}, shape=_SHAPE),
            _call("TruncatedNormal", {"dtype": FLOAT, **_SEED}, shape=_SHAPE),
            _call("RandomUniformInt", _SEED, shape=_SHAPE, **limits),
            _call("RandomShuffle", _SEED, value=_VALUES),
            _call("Multinomial", _SEED, logits=_VALUES, num_samples=Value(INT32, (), "8")),
            _call("ParameterizedTruncatedNormal", _SEED, shape=_SHAPE, means=_RATE, stdevs=_RATE,
                  minvals=Value(FLOAT, (), "0"), maxvals=Value(FLOAT, (), "8")),
            _call("StatefulStandardNormalV2", {"dtype": FLOAT}, **drawn),
            _call("StatefulTruncatedNormal", {"dtype": FLOAT}, **drawn),
            _call("StatefulUniform", {"dtype": FLOAT}, **drawn),
            _call("StatefulUniformFullInt", {"dtype": INT32}, **drawn),
            _call("StatefulUniformInt", None, **drawn, **limits),
            _call("RngReadAndSkip", None, resource=_KEY, alg=Value(INT32, (), "1"), delta=Value(UINT64, (), "4")),
            _call("RngSkip", None, **generator, delta=Value(INT64, (), "4")),
            _call("StatelessRandomGetAlg"),
        )
    }  # fmt: skip


class StateWays(Ways):
    """The ways to run an op that has resources or draws."""

    def __init__(self, call: Call) -> None:
        super().__init__(call)
        self.resources = {arg.name for arg in ops.definition(call.op).input_arg if arg.type == RESOURCE}
        self.variables: list[tuple[Any, Any]] = []

    def tensors(self, edge: Edge) -> list[Any]:
        """The inputs, the resources as variables."""
        made = dict(zip(self.names, super().tensors(edge), strict=True))
        held = {
            name: self.tf.Variable(made[name], shape=made[name].shape) for name in self.names if name in self.resources
        }
        self.variables = [(variable, made[name]) for name, variable in held.items()]
        return list({**made, **held}.values())

    def mask(self, inputs: list[Any]) -> Any:
        """No rows are selected: what a variable holds has as many as before."""
        return None if self.resources else super().mask(inputs)

    def body(self, inputs: Any, keep: Any) -> Any:
        """The call, with the handles of the variables."""
        if not self.resources:
            return super().body(inputs, keep)
        named = dict(zip(self.names, inputs, strict=True))
        handles = {n: v.handle if n in self.resources else v for n, v in named.items()}
        made = self.function(**handles, **self.attributes)
        return None if isinstance(made, self.tf.Operation) else made

    def outcome(self, run: Callable[[], Any]) -> Outcome:
        """What a call gives, and then what each variable holds."""
        self.tf.random.set_seed(7)
        for variable, first in self.variables:
            variable.assign(first)
        found = super().outcome(run)
        if found.error:
            return found
        return Outcome((*found.values, *(variable.numpy() for variable, _ in self.variables)))


class ComposedWays(StateWays):
    """The ways to run a composition."""

    def __init__(self, name: str) -> None:
        import tensorflow as tf

        from benchmarks.atlas.compositions import COMPOSITIONS

        self.tf, self.composition = tf, COMPOSITIONS[name.removeprefix(PREFIX)]
        self.variables = []
        self.graph = tf.function(self.body)
        self.xla = tf.function(self.body, jit_compile=True)

    def tensors(self, edge: Edge) -> list[Any]:
        """What it is given, then its variables."""
        self.variables = [(self.tf.Variable(array), array) for array in self.composition.held]
        return [self.tf.constant(array) for array in self.composition.given] + [v for v, _ in self.variables]

    def body(self, inputs: Any, keep: Any) -> Any:
        """The call."""
        return self.composition.function(*inputs)

    def holding(self, kind: str, allowed: Callable[[str], bool]) -> list[str]:
        """The ways around that give what eager execution gives; of what differs each time, those that repeat.
        `allowed` is asked before each.
        """
        held, inputs = [], self.tensors(ALONE)
        eager = self.outcome(lambda: self.body(inputs, None))
        for way, function in self.composition.ways.items():
            if not allowed(way):
                continue
            found, again = (self.outcome(partial(function, *inputs)) for _ in range(2))
            wanted = again if kind == "unrepeatable" else eager
            if bool(found.error) == bool(wanted.error) and difference(wanted, found).kind in ("", *MINOR):
                held.append(way)
        return held
