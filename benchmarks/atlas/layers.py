"""Keras layers, losses and metrics for the atlas: each is a call with inputs, as an op is.

The names are `layer:Dense`, `loss:Huber` and `metric:AUC`; what they are made with stands in
`benchmarks.provoke.layers`. Layers are called as for inference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from benchmarks.atlas.run import Ways
from benchmarks.provoke import layers as cases
from benchmarks.provoke.bases import Call
from benchmarks.provoke.values import DOUBLE, FLOAT, INT32, Value

_INPUTS = ("x", "y", "z")
_ROWS, _CLASSES = 4, 3
_LEFT_OUT = {
    "loss:Circle": "its targets are numbers of pairs", "loss:CTC": "its targets are sequences of their own",
    "layer:HashedCrossing": "it takes text or integers, and no edge",
}  # fmt: skip
_INTERNAL = frozenset({"SpectralNormalization"})


def calls() -> Mapping[str, Call | str]:
    """{name: the call, or why it is left out} of each that this version has."""
    found: dict[str, Call | str] = {}
    for name in cases.names():
        kind, _, what = name.partition(":")
        if name in _LEFT_OUT:
            found[name] = _LEFT_OUT[name]
        elif kind == "layer" and what in _INTERNAL:
            found[name] = "it changes its weights in each call"
        elif kind == "layer":
            found[name] = _of_layer(name, what)
        elif kind in ("loss", "metric"):
            sparse = what.startswith("Sparse")
            target = Value(INT32, (_ROWS,), "iota") if sparse else Value(FLOAT, (_ROWS, _CLASSES))
            output = Value(FLOAT, (_ROWS, _CLASSES), "reversed")
            names = ("labels_index" if sparse else "targets", "predictions")
            found[name] = Call(name, tuple(zip(names, (target, output), strict=True)), ())
    return found


def _of_layer(name: str, what: str) -> Call:
    whole = what in cases.WHOLE
    one = (lambda shape: Value(INT32, shape, "1")) if whole else (lambda shape: Value(FLOAT, shape))
    names = ("ids",) if whole else _INPUTS
    return Call(name, tuple((n, one(shape)) for n, shape in zip(names, cases.LAYERS[what][1], strict=False)), ())


class KerasWays(Ways):
    """The three ways to call one layer, loss or metric."""

    layer: Any = None

    def function_of(self, call: Call) -> Callable[..., Any]:
        """The call with its inputs by name; weights are made, once and the same in each process. Keras computes in
        float64 where an input is of it.
        """
        wide = any(isinstance(value, Value) and value.dtype == DOUBLE for _, value in call.inputs)
        with _computes_in("float64" if wide else "float32"):
            function = self._made(call)
        if not wide:
            return function

        def of(**given: Any) -> Any:
            with _computes_in("float64"):
                return function(**given)

        return of

    def lend(self, other: Ways) -> None:
        """Gives its weights to the same layer in another type."""
        if self.layer is not None and isinstance(other, KerasWays):
            other.layer.set_weights(self.layer.get_weights())

    def _made(self, call: Call) -> Callable[..., Any]:
        kind, _, what = call.op.partition(":")
        keras = cases.library()
        keras.utils.set_random_seed(7)
        if kind == "loss":
            return lambda **given: getattr(keras.losses, what)()(*given.values())
        if kind == "metric":
            return self._metric(cases.metric(what))
        layer = self.layer = cases.layer(what)
        listed = not what.startswith(("MultiHead", "GroupQuery"))
        give = lambda values: layer(values[0] if len(values) == 1 else values) if listed else layer(*values)  # noqa: E731
        give([value.tensor() for _, value in call.inputs if isinstance(value, Value)])
        return lambda **given: give(list(given.values()))

    def _metric(self, metric: Any) -> Callable[..., Any]:
        def of(**given: Any) -> Any:
            metric.reset_state()
            metric.update_state(*given.values())
            return metric.result()

        return of


@contextmanager
def _computes_in(dtype: str) -> Iterator[None]:
    """Keras makes what it makes meanwhile in this type."""
    keras = cases.library()
    before = keras.backend.floatx()
    keras.backend.set_floatx(dtype)
    keras.mixed_precision.set_global_policy(dtype)
    try:
        yield
    finally:
        keras.backend.set_floatx(before)
        keras.mixed_precision.set_global_policy(before)
