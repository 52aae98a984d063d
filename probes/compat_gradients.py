"""Every private name of TensorFlow and Keras that the probes lean on where they follow a training: gradients, losses,
layers that may be idle. `compat.py` says what follows where one is not there.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from .compat import attribute, class_with

KERAS_OPTIMIZERS = ("keras.src.optimizers.base_optimizer", "BaseOptimizer", "apply")
"""Keras 3: what every optimizer hands its gradients and variables to."""

# What has `load_weights`, in Keras 3 and 2: the class of all models.
KERAS_LOADERS: tuple[tuple[str, str], ...] = (
    ("keras.src.models.model", "Model"),
    ("keras.src.engine.training", "Model"),
)

# What normalises by the batch, and what drops units.
KERAS_BATCH = ("keras.src.layers.normalization.batch_normalization", "BatchNormalization")
KERAS_MOMENTS = "_moments"
"""The method of batch normalisation that takes the statistics of a batch, in the mode of training alone (Keras 3)."""
KERAS_DROPOUT = tuple(
    (f"keras.src.layers.regularization.{module}", name)
    for module, name in (
        ("dropout", "Dropout"),
        ("gaussian_dropout", "GaussianDropout"),
        ("gaussian_noise", "GaussianNoise"),
    )
)

# Keras 3: what multiplies the losses of rows by their weights, and what every variable and metric is made from.
KERAS_WEIGHTED = ("keras.src.losses.loss", "reduce_weighted_values")
KERAS_VARIABLES = ("keras.src.backend.common.variables", "Variable")
KERAS_METRIC = ("keras.src.metrics.metric", "Metric")

# Keras 3: what gives the metrics of a `compile` the results of the model.
KERAS_COMPILED = ("keras.src.trainers.compile_utils", "CompileMetrics")

# Keras 3: the module of the functions that all its cross-entropies call.
KERAS_NN = "keras.src.backend.tensorflow.nn"


def tape_class() -> type:
    """`tf.GradientTape`: what opens and closes it, `stop_recording` too, calls these methods (2.9-2.21)."""
    return class_with("tensorflow.python.eager.backprop", "GradientTape", "gradient", "_push_tape", "_pop_tape")


def custom_gradient_maker() -> tuple[Any, str]:
    """The module and the name of what calls a function with `tf.custom_gradient` in a graph, as `(function, args,
    kwargs)`; the function gives its results and its gradient (2.9-2.21).
    """
    module, name = importlib.import_module("tensorflow.python.ops.custom_gradient"), "_graph_mode_decorator"
    if not callable(getattr(module, name)):
        raise AttributeError(name)
    return module, name


def trackable_class() -> type:
    """What `tf.Module` and the layers of Keras inherit how their attributes are set from (2.9-2.21)."""
    return class_with("tensorflow.python.trackable.autotrackable", "AutoTrackable", "__setattr__")


def record_module() -> Any:
    """The module whose `record_operation(kind, outputs, inputs, ...)` tells a tape what it cannot see for itself: calls
    of functions, and custom gradients (2.13-2.21).
    """
    module = importlib.import_module("tensorflow.python.eager.record")
    if not callable(module.record_operation):
        raise AttributeError("record.record_operation")
    return module


def a_tape_records() -> bool:
    """Whether a tape is open that may follow what is computed now (2.9-2.21)."""
    return bool(record_module().could_possibly_record())


def eager_tensor_class() -> type:
    """The class whose `_numpy` gives the value of an eager tensor to NumPy and to Python."""
    return class_with("tensorflow.python.framework.ops", "_EagerTensorBase", "_numpy")


def add_op_callback(callback: Callable[..., None]) -> Callable[[], None]:
    """Call `callback` with each op that this thread executes; returns what ends that, within the callback too."""
    module: Any = importlib.import_module("tensorflow.python.framework.op_callbacks")
    module.add_op_callback(callback)
    return lambda: module.remove_op_callback(callback)


def has_gradient(kind: str) -> bool:
    """Whether TensorFlow knows a gradient of an op type: not where it is registered as having none."""
    try:
        return attribute("tensorflow.python.framework.ops", "gradient_registry").lookup(kind) is not None
    except LookupError:
        return False


def handle_of(variable: Any) -> Any:
    """The resource of a `tf.Variable`, or of the one that a Keras variable holds; None of anything else."""
    inner = getattr(variable, "handle", None)
    return inner if inner is not None else getattr(getattr(variable, "value", None), "handle", None)


def variables_read(graph: Any) -> list[Any]:
    """The `tf.Variable`s that a function reads which is being traced, or calls functions that read them."""
    return list(getattr(graph, "_watched_variables", ()))


def gradient_override(operation: Any) -> bool:
    """Whether an op of a graph has a gradient of the program's own (`tf.custom_gradient`)."""
    return "_gradient_op_type" in operation.node_def.attr if operation.type == "IdentityN" else False
