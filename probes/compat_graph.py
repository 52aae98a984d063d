"""Every private name of TensorFlow that the probes lean on where they take a graph apart or run it, by version.

`compat.py` has those that recording needs. The tests ask for each of these names on every supported version.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .compat import default_graph, dims


def compiles_within(concrete: Any) -> bool:
    """Whether a function that is not compiled itself calls one that XLA compiles."""
    library = getattr(concrete.graph, "_functions", {})
    return any(
        value is not None and value.b
        for value in (dict(f.attributes or {}).get("_XlaMustCompile") for f in library.values())
    )


def auto_clusters() -> bool:
    """Whether TensorFlow was asked to let XLA compile parts of any function: by its flag, or by `set_jit`."""
    if re.search(r"--tf_xla_auto_jit=(?:[12]|single-gpu|fusible)", os.environ.get("TF_XLA_FLAGS", "")):
        return True
    # The property of that name would list the devices, and with that read the flags.
    context = importlib.import_module("tensorflow.python.eager.context").context()
    return bool(getattr(context, "_optimizer_jit", None))


def flat_tensors(value: Any) -> list[Any]:
    """The tensors of what a function returned, in the order of the outputs of its graph."""
    nest = importlib.import_module("tensorflow").nest
    return [t for t in nest.flatten(value, expand_composites=True) if t is not None]


def xla_compiles(op: str) -> bool:
    """Whether XLA has a kernel for an op on the processor."""
    kernels = importlib.import_module("tensorflow.python.framework.kernels")
    return any(k.device_type == "XLA_CPU_JIT" for k in kernels.get_registered_kernels_for_op(op).kernel)


STATELESS_DRAWS = (
    "stateless_random_uniform_v2",
    "stateless_random_uniform_int_v2",
    "stateless_random_uniform_full_int_v2",
    "stateless_random_normal_v2",
    "stateless_truncated_normal_v2",
)
"""The functions through which Python makes the ops that draw from a key."""


def stateless_draws_module() -> Any:
    """The module that has them."""
    return importlib.import_module("tensorflow.python.ops.gen_stateless_random_ops_v2")


def library_functions(graph: Any) -> dict[str, Any]:
    """The library of a Python graph: {function name: AtomicFunction}. Each knows the `FuncGraph` it was made from."""
    return {str(name): function for name, function in graph._functions.items()}


def handle_spec(tensor: Any) -> tuple[str, list[int | None] | None] | None:
    """(dtype, shape) of the variable behind a resource tensor, or None if it is no variable's handle."""
    data = getattr(tensor, "_handle_data", None)
    if data is None:
        return _spec_of_argument(tensor)
    if not data.is_set or len(data.shape_and_type) != 1:
        return None
    first = data.shape_and_type[0]
    dtypes = importlib.import_module("tensorflow.python.framework.dtypes")
    shape = None if first.shape.unknown_rank else [None if d.size < 0 else int(d.size) for d in first.shape.dim]
    return str(dtypes.as_dtype(first.dtype).name), shape


def _spec_of_argument(tensor: Any) -> tuple[str, list[int | None] | None] | None:
    """What the signature of a function says of a placeholder to which a variable is given as an argument."""
    graph = getattr(tensor, "graph", None) if getattr(tensor, "dtype", None) == "resource" else None
    signature = getattr(graph, "structured_input_signature", None)
    if not signature:
        return None
    nest = importlib.import_module("tensorflow").nest
    specs: list[Any] = []
    for leaf in nest.flatten(signature):
        if type(leaf).__name__ == "VariableSpec":
            # A variable that is given twice has one placeholder.
            alias = getattr(leaf, "alias_id", None)
            if alias is None or alias not in [getattr(s, "alias_id", None) for s in specs if s is not None]:
                specs.append(leaf)
        elif hasattr(leaf, "_component_specs"):
            specs += [None] * len(nest.flatten(leaf, expand_composites=True))
    inputs = graph.inputs  # type: ignore[union-attr]
    if len(specs) != len(inputs) - len(graph.captures):  # type: ignore[union-attr]
        return None
    found = next((s for t, s in zip(inputs, specs, strict=False) if t is tensor), None)
    return None if found is None else (str(found.dtype.name), dims(found.shape))


def read_variable(handle: Any, dtype: str) -> Any:
    """The content of a variable by its resource handle, read eagerly even while a graph is being built."""
    tensorflow = importlib.import_module("tensorflow")
    with tensorflow.init_scope():
        return tensorflow.raw_ops.ReadVariableOp(resource=handle, dtype=dtype).numpy()


def is_local_variable(variable: Any) -> bool:
    """Whether a variable is of one piece and of this process: to read any other may wait for a machine.

    One that a `tf.function` made as it was traced (in a model that its first `fit` builds) has a value after the
    trace.
    """
    kind = type(variable).__name__
    if kind not in ("ResourceVariable", "UnliftedInitializerVariable", "EagerTensor"):
        return False
    if kind == "UnliftedInitializerVariable" and default_graph() is not None:
        return False
    return "job:localhost" in str(getattr(variable, "device", ""))


def graph_variables(graph: Any) -> list[Any]:
    """The `tf.Variable`s that a `FuncGraph` has watched or captured and that are still alive."""
    found = []
    for reference in getattr(graph, "_weak_variables", ()):
        variable = reference()
        if variable is not None:
            found.append(variable)
    return found


def user_frames(operation: Any) -> Any:
    """The C++ stack of an operation without TensorFlow's own frames, outermost first (hashable)."""
    stack = operation.traceback
    return stack.get_user_frames() if stack is not None else ()


def mapped_stack() -> Any:
    """The stack of this thread as ops that are made now keep it: with the program's own lines for AutoGraph's copy of
    them (2.9-2.21). Outermost first.
    """
    return importlib.import_module("tensorflow.python.util.tf_stack").extract_stack().get_user_frames()


def op_in_the_making(frame: Any) -> tuple[Any, list[Any], Any] | None:
    """(NodeDef, input tensors, graph) of the frame of the function that adds an op to a graph; None for any other.

    Private: `tensorflow.python.framework.ops._create_c_op` and the names of its arguments (2.13-2.21).
    """
    code = frame.f_code
    if code.co_name != "_create_c_op" or not code.co_filename.replace("\\", "/").endswith("framework/ops.py"):
        return None
    local = frame.f_locals
    flat = [t for group in local["inputs"] for t in (group if isinstance(group, list | tuple) else [group])]
    return local["node_def"], flat, local["graph"]


def op_definition(name: str) -> Any:
    """The OpDef of an op, or None if this TensorFlow does not have it."""
    return importlib.import_module("tensorflow.python.framework.op_def_registry").get(name)


def session_run(session: Any, fetches: list[Any], feeds: list[tuple[Any, Any]], targets: list[Any]) -> list[Any]:
    """Run a `tf.compat.v1.Session` without its Python checks.

    The public `Session.run` refuses a fed array that does not agree with the *static* shape of the tensor. But a static
    shape may be what is wrong with a failing graph, so values are fed past that check.
    """
    session._extend_graph()
    values = session._call_tf_sessionrun(
        None,
        {tensor._as_tf_output(): value for tensor, value in feeds},
        [tensor._as_tf_output() for tensor in fetches],
        [operation._c_op for operation in targets],
        None,
    )
    return list(values)


@contextmanager
def deterministic_ops() -> Iterator[None]:
    """What `enable_op_determinism` sets for the process, for a while only (2.8-2.21)."""
    setting = importlib.import_module("tensorflow.python.util._pywrap_determinism")
    before = bool(setting.is_enabled())
    setting.enable(True)
    try:
        yield
    finally:
        setting.enable(before)


def add_function(definition: Any) -> None:
    """Make a FunctionDef known to the eager runtime: an import into a function's graph alone does not."""
    importlib.import_module("tensorflow.python.eager.context").context().add_function_def(definition)


def source_name(operation: Any) -> str | None:
    """The name of the variable that an op reads, or of the argument that a placeholder stands for."""
    if operation.type != "ReadVariableOp":
        return str(operation.name)
    handle = operation.inputs[0]
    for variable in graph_variables(operation.graph):
        for outer, inner in operation.graph.captures:
            if inner is handle and getattr(variable, "handle", None) is outer:
                return str(getattr(variable, "path", None) or variable.name)
    return str(handle.op.name)


def called_by(operation: Any) -> list[str]:
    """The names of the functions that an op calls: of a call, a branch, a loop."""
    given = operation.node_def.attr
    return [given[n].func.name for n in ("f", "body", "then_branch", "else_branch") if n in given]


def constant_equals(operation: Any, value: Any) -> bool:
    """Whether a constant of a few elements equals a number, or a row of them, in its own precision."""
    shape = operation.outputs[0].shape
    if shape.rank is None or (shape.num_elements() or 0) > 64:
        return False
    import numpy as np

    ops: Any = importlib.import_module("tensorflow")
    held = ops.make_ndarray(operation.get_attr("value"))
    if held.dtype.kind not in "fiuc" and held.dtype.name != "bfloat16":
        return False
    wanted = np.asarray(value)
    if held.dtype.kind in "iu" and wanted.dtype.kind == "f":
        return False
    return bool(held.shape == wanted.shape and (held == wanted.astype(held.dtype)).all())
