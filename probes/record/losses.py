"""Cross-entropies that get something else than they take: scores where they take probabilities, or the reverse.

What a loss is given is looked up in the graph that is being traced, by the op that made it; of an eager tensor by its
values. So many calls are looked at, and then Keras and TensorFlow have their own functions again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .. import compat, compat_gradients, schema
from .clocks import of_thread
from .frames import followed, user_frames
from .guard import Guard
from .importhook import PostImportFinder
from .value_range import range_of

MAX_CALLS = 400
MAX_SECONDS = 0.05
"""Of our own work."""
MAX_EVENTS = 20
MAX_VALUES = 1 << 20
_STEPS = 12
_TAKES_EITHER = ("binary_crossentropy", "categorical_crossentropy", "sparse_categorical_crossentropy")
_TAKES_SCORES = (
    "sigmoid_cross_entropy_with_logits", "softmax_cross_entropy_with_logits",
    "sparse_softmax_cross_entropy_with_logits",
)  # fmt: skip
_SAME = frozenset(
    {"Cast", "EnsureShape", "ExpandDims", "Identity", "IdentityN", "Reshape", "Squeeze", "StopGradient", "Transpose"}
)
"""What leaves values as they are."""
_PRODUCTS = frozenset({"BatchMatMulV2", "BiasAdd", "Conv1D", "Conv2D", "Conv3D", "Einsum", "MatMul"})
_UNBOUNDED = _PRODUCTS | {"Elu", "LeakyRelu", "Relu", "Selu", "Softplus", "Tanh"}
"""Ops whose results are no probabilities."""
_PROBABILITIES = frozenset({"Sigmoid", "Softmax"})
LOGITS, PROBABILITIES, ALONE = "logits", "probabilities", "alone"
EQUAL, CUT = "equal", "cut"
"""A metric that compares for equality, and one that cuts to whole numbers."""
_OF_ONE = ("categorical_crossentropy",)
_THRESHOLDS = frozenset(
    {"AUC", "BinaryAccuracy", "F1Score", "FBetaScore", "FalseNegatives", "FalsePositives", "Precision",
     "PrecisionAtRecall", "Recall", "RecallAtPrecision", "SensitivityAtSpecificity", "SpecificityAtSensitivity",
     "TrueNegatives", "TruePositives"}
)  # fmt: skip
"""Metrics that take probabilities, if they were not told otherwise."""


class LossRecorder:
    """Writes `loss-input` events."""

    def __init__(self, guard: Guard, finder: PostImportFinder) -> None:
        self.guard = guard
        self._left = MAX_CALLS
        self._seconds = 0.0
        self._result: Any = None
        self._seen: set[tuple[Any, ...]] = set()
        self._mine: list[tuple[Any, str, Any, Any]] = []
        finder.when_imported(compat_gradients.KERAS_NN, self._hook_keras)
        finder.when_imported("tensorflow", self._hook_tensorflow)
        finder.when_imported(compat_gradients.KERAS_COMPILED[0], self._hook_metrics)

    def _hook_metrics(self, module: ModuleType) -> None:
        self._put(getattr(module, compat_gradients.KERAS_COMPILED[1]), "update_state", self._metrics)

    def _hook_keras(self, module: ModuleType) -> None:
        for name in _TAKES_EITHER:
            self._put(module, name, self._either)

    def _hook_tensorflow(self, module: ModuleType) -> None:
        for name in _TAKES_SCORES:
            self._put(module.nn, name, self._scores)

    def _put(self, holder: Any, name: str, look: Callable[..., None]) -> None:
        original = getattr(holder, name)

        def called(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            if self._left > 0:
                self.guard.run("loss input", self._look, look, name, args, kwargs, result)

        watched = followed(original, called)
        self._mine.append((holder, name, original, watched))
        self.guard.hooks.put(holder, name, watched)

    def _look(
        self, look: Callable[..., None], name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
    ) -> None:
        started = of_thread()
        self._left -= 1
        self._result = result
        look(name, args, kwargs)
        self._result = None
        self._seconds += of_thread() - started
        if self._left <= 0 or self._seconds > MAX_SECONDS or len(self._seen) >= MAX_EVENTS:
            self._left = 0
            for holder, own, original, watched in self._mine:
                if vars(holder).get(own) is watched:
                    setattr(holder, own, original)

    def _either(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """A loss of Keras: `from_logits` says what it gets."""
        given = {**dict(zip(("target", "output", "from_logits"), args, strict=False)), **kwargs}
        output = given.get("output")
        if self._alone(name, output):
            return
        if hasattr(output, "_keras_logits"):
            return  # Keras takes these, whatever it was told
        if given.get("from_logits"):
            return  # TensorFlow's function is asked next
        if hasattr(output, "graph"):
            op = _made_by(output)
            if op in _UNBOUNDED:
                self._write(LOGITS, name, op, None)
        else:
            values = _values(output)
            if values is not None and values.size and (values.min() < -1e-3 or values.max() > 1.001):
                self._write(LOGITS, name, None, values)

    def _alone(self, name: str, output: Any) -> bool:
        """A softmax of a single unit is 1 for every row."""
        shape = compat.dims(getattr(output, "shape", None))
        if not shape or shape[-1] != 1:
            return False
        if name in _OF_ONE:  # it divides by the sum over the units
            one = True
        elif hasattr(output, "graph"):
            one = str(output.op.type) == "Softmax"
        else:
            values = _values(output)
            one = hasattr(output, "_keras_logits") and values is not None and bool((values == 1.0).all())
        if one:
            self._write(ALONE, name, None if name in _OF_ONE else "Softmax", None)
        return one

    def _metrics(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """All metrics of a `compile` get the results of the model."""
        given = {**dict(zip(("self", "y_true", "y_pred"), args, strict=False)), **kwargs}
        output = given.get("y_pred")
        if not hasattr(output, "graph"):
            return
        op, inside = _made_by(output), _inside(output)
        for metric in given["self"].metrics:
            kind = type(metric).__name__
            if not type(metric).__module__.startswith("keras."):
                continue
            if kind == "Accuracy" and (op in _PRODUCTS or inside):
                self._write(EQUAL, kind, op, None)
            elif kind == "MeanIoU" and inside and getattr(metric, "sparse_y_pred", True):
                self._write(CUT, kind, op, None)
            elif kind in _THRESHOLDS and op in _PRODUCTS and metric.name != "accuracy" and _of_probabilities(metric):
                self._write(LOGITS, kind, op, None)

    def _scores(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """A loss that takes scores."""
        logits = kwargs.get("logits", args[1] if len(args) > 1 else None)
        if hasattr(logits, "graph"):
            op = _made_by(logits)
            if op in _PROBABILITIES:
                self._write(PROBABILITIES, name, op, None)
            elif _inside(logits):
                self._write(PROBABILITIES, name, None, None, range_of(logits))
        elif hasattr(logits, "_keras_logits") or ("softmax" in name and _sums_to_one(_values(logits))):
            self._write(PROBABILITIES, name, None, _values(logits))

    def _write(self, what: str, name: str, op: str | None, values: Any, ends: Any = None) -> None:
        frames = self._frames()
        key = (what, name, *(sorted(map(str, frames[0].items())) if frames else ()))
        if key in self._seen:
            return
        self._seen.add(key)
        ends = ends if values is None else (values.min(), values.max())
        extent = {} if ends is None else {"least": float(ends[0]), "most": float(ends[1])}
        where = frames[0] if frames else None
        self.guard.sink.write(schema.LOSS_INPUT, what=what, loss=name, op=op, where=where, frames=frames, **extent)

    def _frames(self) -> list[dict[str, Any]]:
        """Of an op in a graph the lines that made it: AutoGraph runs a copy of them."""
        if hasattr(self._result, "graph"):
            from .capsule import frames_of  # imports numpy: not before the target has

            return frames_of(self._result.op)[:4] or user_frames(skip=6, limit=4)
        return user_frames(skip=6, limit=4)


def _made_by(tensor: Any) -> str | None:
    """The type of the op that made the values of a tensor in a graph, as far back as they are the same; the sum of a
    product and a variable is the product.
    """
    op = tensor.op
    for _ in range(_STEPS):
        kind = str(op.type)
        if kind in _SAME and len(op.inputs):
            op = op.inputs[0].op
        elif kind in ("Add", "AddV2") and len(op.inputs) == 2:
            parts = [_made_by(one) for one in op.inputs]
            bias = [p for p in parts if p in ("ReadVariableOp", "VarHandleOp")]
            return "BiasAdd" if len(bias) == 1 and any(p in _PRODUCTS for p in parts) else kind
        else:
            return kind
    return None


def _inside(tensor: Any) -> bool:
    """Whether the values of a tensor in a graph are between 0 and 1, whatever the data are."""
    ends = range_of(tensor)
    return ends is not None and ends[0] >= 0.0 and ends[1] <= 1.0


def _of_probabilities(metric: Any) -> bool:
    """Whether a metric has thresholds between 0 and 1."""
    if getattr(metric, "_from_logits", False):
        return False
    one = [
        v for v in (getattr(metric, n, None) for n in ("threshold", "thresholds", "init_thresholds")) if v is not None
    ]
    numbers = [n for v in one for n in (v if isinstance(v, (list, tuple)) else [v])]
    # AUC puts one just below 0 and one just above 1.
    return all(-0.1 < float(n) < 1.1 for n in numbers) and not all(float(n) == 0.0 for n in numbers or [1.0])


def _values(tensor: Any) -> Any:
    """The values of an eager tensor, or an array, that is not too large."""
    numpy = sys.modules.get("numpy")
    if numpy is None or tensor is None:
        return None
    array = tensor.numpy() if compat.is_eager(tensor) else tensor
    if not isinstance(array, numpy.ndarray) or array.dtype.kind != "f" or array.size > MAX_VALUES:
        return None
    return array


def _sums_to_one(values: Any) -> bool:
    """Whether each of at least 8 rows has numbers from 0 to 1 that sum to 1."""
    if values is None or values.ndim < 2 or values.shape[-1] < 2 or values.size < 8 * values.shape[-1]:
        return False
    inside = values.min() >= 0.0 and values.max() <= 1.0
    return bool(inside and (abs(values.sum(-1) - 1.0) < 1e-3).all())
