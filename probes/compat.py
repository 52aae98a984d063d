"""Every private name of TensorFlow and Keras that the probes lean on to record, by version.

`compat_graph.py` has those that take a graph apart, or run it; `compat_data.py` those of `tf.data`.

A name that is not there makes its recorder stay out (with a `probe-error` that says so); the target runs on. The tests
ask for each of these names on every supported version, and fail loudly.
"""

from __future__ import annotations

import importlib
import itertools
import math
import re
import sys
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

_POLYMORPHIC = "tensorflow.python.eager.polymorphic_function"

# Keras 3 has its trainer in the backend, Keras 2 (TensorFlow 2.15) in the engine.
KERAS_TRAINERS: tuple[tuple[str, str], ...] = (
    ("keras.src.backend.tensorflow.trainer", "TensorFlowTrainer"),
    ("keras.src.engine.training", "Model"),
)
KERAS_COMPILERS: tuple[tuple[str, str], ...] = (
    ("keras.src.trainers.trainer", "Trainer"),
    ("keras.src.engine.training", "Model"),
)
KERAS_MODELS: tuple[tuple[str, str], ...] = (
    ("keras.src.models.functional", "Functional"),
    ("keras.src.engine.functional", "Functional"),
)

# Where a layer's `__call__` stands, in Keras 3 and 2.
KERAS_LAYERS = ("keras/src/layers/layer.py", "keras/src/engine/base_layer.py")

KERAS_LAYER_CLASSES: tuple[tuple[str, str], ...] = (
    ("keras.src.layers.layer", "Layer"),
    ("keras.src.engine.base_layer", "Layer"),
)

# The base of all callbacks, and the names of those that wait for a metric.
KERAS_CALLBACKS: tuple[tuple[str, str], ...] = (
    ("keras.src.callbacks.callback", "Callback"),
    ("keras.src.callbacks", "Callback"),
)
KERAS_MONITORS = frozenset({"MonitorCallback", "EarlyStopping", "ModelCheckpoint", "ReduceLROnPlateau"})

# Keras 3: where `set_floatx` is defined, and what keeps the dtype policy (by `set_global_attribute`).
KERAS_CONFIG = "keras.src.backend.config"
KERAS_STATE = "keras.src.backend.common.global_state"

# Keras 3: what makes the steps of an epoch.
KERAS_EPOCHS = ("keras.src.trainers.epoch_iterator", "EpochIterator", "_enumerate_iterator")

# What `tf.Variable` makes.
VARIABLES = ("tensorflow.python.ops.resource_variable_ops", "ResourceVariable")

# The method of a `ConcreteFunction` through which every call goes: its flat tensors, and what was captured (2.9-2.21).
FLAT_CALL = "_call_flat"


def attribute(module: str, name: str) -> Any:
    """A name of a module, imported for it."""
    return getattr(importlib.import_module(module), name)


def class_with(module: str, name: str, *methods: str) -> type:
    """A class of a module, if it defines these methods itself."""
    cls: type = attribute(module, name)
    for method in methods:
        if method not in cls.__dict__:
            raise AttributeError(f"{name}.{method}")
    return cls


def concrete_function_callbacks() -> list[Callable[[Any], None]]:
    """The list of functions that TensorFlow calls with each newly traced `ConcreteFunction` (2.13-2.21)."""
    callbacks = attribute(f"{_POLYMORPHIC}.transform", "CONCRETE_FUNCTION_CALLBACKS")
    if not isinstance(callbacks, list):
        raise AttributeError("CONCRETE_FUNCTION_CALLBACKS is no list")
    return callbacks


def atomic_function_module() -> Any:
    """The module whose `from_func_graph(name, graph, ...)` makes every library function from a Python graph."""
    module = importlib.import_module(f"{_POLYMORPHIC}.atomic_function")
    if not callable(module.from_func_graph):
        raise AttributeError("atomic_function.from_func_graph")
    return module


def gradient_maker() -> tuple[Any, str]:
    """The module and the name of what makes a function's forward and backward pass: called as `(attributes, graph of
    the function, graph of its gradient)`, it gives an atomic function and a `ConcreteFunction` (2.15-2.21).
    """
    module = importlib.import_module(f"{_POLYMORPHIC}.concrete_function")
    name = "_create_forward_backward_with_graph"
    if not callable(getattr(module, name)):
        raise AttributeError(name)
    return module, name


def function_class() -> type:
    """The class of what `tf.function` returns."""
    return class_with(f"{_POLYMORPHIC}.polymorphic_function", "Function", "__init__", "__call__")


def context_class() -> type:
    """The eager context: its `ensure_initialized` creates the runtime, at the first operation."""
    return class_with("tensorflow.python.eager.context", "Context", "ensure_initialized")


def context_is_initialized() -> bool:
    """True once devices were made or listed (and TF_XLA_FLAGS has been read)."""
    context = importlib.import_module("tensorflow.python.eager.context").context_safe()
    return bool(context is not None and (context._initialized or context._physical_devices is not None))


def known_devices() -> list[str] | None:
    """The types of the devices that TensorFlow has found, or None if it has not looked yet (to ask makes it look)."""
    context = importlib.import_module("tensorflow.python.eager.context").context_safe()
    devices = getattr(context, "_physical_devices", None)
    return None if devices is None else [str(d.device_type) for d in devices]


def session_class() -> type:
    """What `tf.compat.v1.Session` and `InteractiveSession` are made from."""
    return class_with("tensorflow.python.client.session", "BaseSession", "__init__", "run")


def jit_property() -> property:
    """`Context.optimizer_jit`: what `tf.config.optimizer.set_jit` writes."""
    found = context_class().__dict__.get("optimizer_jit")
    if not isinstance(found, property) or found.fset is None or found.fget is None:
        raise AttributeError("Context.optimizer_jit")
    return found


def tracing_module() -> Any:
    """The module whose `func_graph_from_py_func(..., func_graph=)` runs the Python body of a `tf.function`."""
    module = importlib.import_module("tensorflow.python.framework.func_graph")
    if not callable(module.func_graph_from_py_func):
        raise AttributeError("func_graph.func_graph_from_py_func")
    return module


def trace_arguments(concrete: Any) -> dict[str, str]:
    """{argument: what it was traced for}: a TensorSpec, or a Python value that is a constant of the graph."""
    found = {}
    for name, parameter in concrete.function_type.parameters.items():
        text = repr(parameter.type_constraint)
        found[str(name)] = text if len(text) <= 300 else text[:300] + "…"
    return found


def keras_has_auto() -> bool:
    """True for Keras 3, whose `jit_compile` is "auto" unless said otherwise."""
    return "keras.src.trainers.trainer" in sys.modules


def keras_supports_jit(model: Any) -> bool | None:
    """What Keras 3 makes of `jit_compile="auto"` where there is an accelerator; None for Keras 2."""
    module = sys.modules.get("keras.src.trainers.trainer")
    return bool(module.model_supports_jit(model)) if module is not None else None


def tensor_class() -> type:
    """The class of tensors, eager and symbolic, that has Python's operators."""
    cls: type = importlib.import_module("tensorflow").Tensor
    return cls


def equality_module() -> Any:
    """The module whose `equal` and `not_equal` the operators and `tf.equal` call."""
    return importlib.import_module("tensorflow.python.ops.gen_math_ops")


def is_eager(value: Any) -> bool:
    """Whether a value is a tensor with numbers in it, of exactly TensorFlow's class."""
    return type(value).__name__ == "EagerTensor"


def is_watched(value: Any) -> bool:
    """Whether a tape that is open now follows this eager tensor: it comes of a variable, or of what is watched."""
    if not is_eager(value):
        return False
    record: Any = importlib.import_module("tensorflow.python.eager.record")
    return bool(record.should_record_backprop([value]))


def keras_data_kind(epochs: Any) -> str:
    """What Keras 3 takes the batches of an `EpochIterator` from: "ArrayDataAdapter", "TFDatasetAdapter" and so on."""
    return type(getattr(epochs, "data_adapter", None)).__name__


def keras_rows(epochs: Any) -> dict[str, int | None]:
    """What the data adapter itself knows: rows (of arrays only), the batch size, how many batches an epoch has."""
    adapter = getattr(epochs, "data_adapter", None)
    known = {
        "rows": getattr(adapter, "_num_samples", None),
        "size": getattr(adapter, "_batch_size", None),
        "batches": getattr(epochs, "num_batches", None),
    }
    return {k: v if isinstance(v, int) else None for k, v in known.items()}


def keras_policies(model: Any) -> list[str] | None:
    """The names of the dtype policies of a model's layers; None where Keras has no such thing."""
    layers = getattr(model, "_flatten_layers", None)
    if layers is None:
        return None
    policies = (getattr(layer, "dtype_policy", None) for layer in itertools.islice(layers(include_self=False), 2000))
    return sorted({str(name) for policy in policies if (name := getattr(policy, "name", None)) is not None})


def keras_loss(model: Any) -> float | None:
    """The mean loss that Keras 3 keeps of this epoch; None where it keeps none."""
    tracker = getattr(model, "_loss_tracker", None)
    try:
        return None if tracker is None else float(tracker.result())
    except Exception:
        return None


def default_graph() -> Any:
    """The graph that is being built on this thread, or None when executing eagerly."""
    ops = importlib.import_module("tensorflow.python.framework.ops")
    context = importlib.import_module("tensorflow.python.eager.context")
    return None if context.executing_eagerly() else ops.get_default_graph()


def runs_outside(concrete: Any, parent: Any) -> bool:
    """Whether a function was traced in a graph that never runs, where Keras 3 works out the shapes of a model. The same
    trace is called from outside afterwards, unless it captures something of that graph.
    """
    scratch = str(getattr(parent, "name", "")).startswith("scratch_graph")
    return scratch and all(getattr(t, "graph", None) is not parent for t in concrete.captured_inputs)


def graph_position(graph: Any) -> int:
    """How many operations the graph has by now: the position in program order of what comes next."""
    return int(graph.version)


def hide_from_op_stacks(filename: str) -> Callable[[], None]:
    """Leave frames of `filename` out of the stacks that TensorFlow keeps of each operation, on every thread. Returns
    what undoes it.

    TensorFlow keeps a stack of filters for each thread; at the bottom of each is an empty one, which is filled here.
    """
    module: Any = importlib.import_module("tensorflow.python.util.tf_stack")
    names = frozenset({filename})

    class Filter(module.SentinelFilter):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.internal_set.update_to(set(names))

        def get_filtered_filenames(self) -> frozenset[str]:
            return names

    original = module.SentinelFilter

    def exchange(old: Any, new: Any) -> None:
        for stack in list(module._source_filter_stacks.values()):
            if type(stack[0]) is old:
                stack[0] = new()
        if module.SentinelFilter is old:
            module.SentinelFilter = new

    exchange(original, Filter)
    return lambda: exchange(Filter, original)


def convert_for_autograph(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` under the AutoGraph status of this moment: converted while a converted caller is traced.

    A wrapper that calls the original directly would take AutoGraph away from it.
    """
    api = importlib.import_module("tensorflow.python.autograph.impl.api")
    ag_ctx = importlib.import_module("tensorflow.python.autograph.core.ag_ctx")
    status = ag_ctx.control_status_ctx()
    if status.status != ag_ctx.Status.ENABLED:
        return function
    converted: Callable[..., Any] = api.tf_convert(function, status, convert_by_default=False)
    return converted


def mark_for_autograph(wrapper: Any) -> None:
    """Tell AutoGraph to call `wrapper` as it is (what `autograph_artifact` does, without importing TensorFlow)."""
    wrapper.autograph_info__ = {}


def must_compile(concrete: Any) -> bool | None:
    """True if the function itself carries `_XlaMustCompile`, None where that cannot be told."""
    for holder in ("_inference_function", "inference_fn"):
        function = getattr(concrete, holder, None)
        attributes = getattr(function, "attributes", None)
        if attributes is not None:
            value = attributes.get("_XlaMustCompile")
            return bool(value.b) if value is not None else False
    return None


class TensorInfo(NamedTuple):
    """What is known of a tensor without evaluating it."""

    kind: str  # symbolic, eager, keras, array
    name: str | None
    shape: list[int | None] | None
    dtype: str


def tensor_info(value: Any) -> TensorInfo | None:
    """Describe a tensor-like value, or None if it is none. Never evaluates anything."""
    cls = type(value)
    module = cls.__module__ or ""
    if not hasattr(value, "shape") or not hasattr(value, "dtype"):
        return None
    dtype = getattr(value.dtype, "name", None) or str(value.dtype)
    if module.startswith("numpy"):
        return TensorInfo("array", None, [int(n) for n in value.shape], dtype)
    if not module.startswith(("tensorflow", "keras")):
        return None
    shape = dims(value.shape)
    if cls.__name__ == "KerasTensor":
        return TensorInfo("keras", getattr(value, "name", None), shape, dtype)
    if cls.__name__ == "EagerTensor" or hasattr(cls, "_numpy_internal"):
        return TensorInfo("eager", None, shape, dtype)
    try:
        name = value.name
    except Exception:
        name = None
    symbolic = hasattr(value, "op") and hasattr(value, "graph")
    return TensorInfo("symbolic" if symbolic else "eager", name if symbolic else None, shape, dtype)


def bytes_of(value: Any) -> int:
    """How many bytes an array or tensor has, at most; 0 for anything else. Nothing is evaluated."""
    info = tensor_info(value)
    shape = info.shape if info is not None else dims(getattr(value, "shape", ()))
    return bytes_of_spec(info.dtype if info is not None else "", shape)


def bytes_of_spec(dtype: str, shape: list[int | None] | None) -> int:
    """The same by dtype and shape; of what has no size of its own (strings) 8 bytes an element."""
    bits = re.search(r"(8|16|32|64|128)$", dtype)
    size = int(bits[1]) // 8 if bits else 8
    return math.prod(n or 1 for n in shape or ()) * size


def dims(shape: Any) -> list[int | None] | None:
    """A TensorShape or tuple as a list of int or None; None for an unknown rank."""
    if getattr(shape, "rank", 0) is None:
        return None
    try:
        return [None if n is None else int(n) for n in (shape.as_list() if hasattr(shape, "as_list") else shape)]
    except (TypeError, ValueError):
        return None


def add_op_callback(callback: Callable[..., None]) -> None:
    """Call `callback` with each op that this thread executes eagerly or adds to a graph (2.13-2.21)."""
    attribute("tensorflow.python.framework.op_callbacks", "add_op_callback")(callback)


def runs_stateful_ops(graph: Any) -> bool:
    """Whether ops without outputs run in this graph: automatic control dependencies are on while it is built."""
    return bool(getattr(graph, "_add_control_dependencies", False))


def function_name(call: Any) -> str:
    """The name of the function that a call op calls, or of the body of a loop; "" of any other op."""
    attribute = "body" if call.type in ("While", "StatelessWhile") else "f"
    try:
        return str(call.get_attr(attribute).name)
    except (ValueError, AttributeError):
        return ""


def is_loop_body(graph: Any) -> bool:
    """Whether the ops of a graph run several times in one call: the body of a `tf.while_loop`."""
    return type(graph).__name__ == "WhileBodyFuncGraph"


def captured_from(placeholder: Any) -> Any:
    """The tensor of the outer graph that a placeholder of a `FuncGraph` stands for, or None."""
    for outer, inner in getattr(placeholder.graph, "captures", ()):
        if inner is placeholder:
            return outer
    return None


def method_owner(method: Any) -> Any:
    """The object of a bound method; of a `tf.function` that is a method the object itself, not what stands for it."""
    target = getattr(method.__self__, "weakrefself_target__", None)
    return target() if isinstance(target, weakref.ref) else method.__self__
