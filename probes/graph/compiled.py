"""The same graph through XLA: compiled and run, or lowered to HLO text.

The graph must be pure (`functionalise`): XLA then sees arguments and results, and a device that the machine
does not have can be lowered for. Lowering for the GPU without one shows the registration of kernels and
tf2xla; it does not show the GPU's own passes, cuDNN or ptxas.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import compat_graph
from . import emit
from .errors import Unsupported
from .ir import Graph, Node, ancestors
from .machine import Value

Array = np.ndarray[Any, Any]

PLATFORMS = {"cpu": "CPU", "gpu": "GPU"}
_NUMBERS = itertools.count()
_NO_VALUE = ("resource", "variant")


def function_of(graph: Graph, jit: bool = True) -> tuple[Callable[..., Any], list[str]]:
    """(a tf.function of the graph's outputs, the names of the inputs that it takes, in order). Without `jit` it runs
    plainly, as TensorFlow's optimizers rewrite it.

    Only what the outputs need is in it: an op that merely stands in the graph cannot spoil its compilation.
    Outputs without a value (variants) are left out.
    """
    import tensorflow as tf

    outputs = [t for t in graph.outputs if tf.dtypes.as_dtype(graph.dtype(t)).name not in _NO_VALUE]
    needed = ancestors(graph, outputs, graph.controls)
    names = [i.name for i in graph.inputs if i.name in needed]
    specs = [_spec(graph, name) for name in names]
    # Placeholders must not come along, not even unused: XLA refuses a function that holds one.
    given = set(names)
    body = {n: _without(graph.nodes[n], given) for n in graph.nodes if n in needed and n not in given}
    definition = emit.renamed(emit.graph_def(graph.replace(nodes=body)), f"__{next(_NUMBERS)}")
    for function in definition.library.function:
        compat_graph.add_function(function)

    @tf.function(input_signature=specs, jit_compile=jit or None, autograph=False)  # type: ignore[untyped-decorator]
    def step(*arguments: Any) -> Any:
        found = tf.graph_util.import_graph_def(
            definition,
            input_map={f"{n}:0": a for n, a in zip(names, arguments, strict=True)},
            return_elements=[*outputs, *graph.controls],
            name="",
        )
        with tf.control_dependencies(found[len(outputs) :]):
            return [tf.identity(t) for t in found[: len(outputs)]]

    return step, names


def run_compiled(graph: Graph, arguments: Mapping[str, Value]) -> list[Array]:
    """The outputs of a graph, compiled as a whole by XLA. Raises TensorFlow's own error.

    For the same graph without XLA use an `Activation`: a plain `tf.function` has the graph optimizer on.
    """
    step, names = function_of(graph)
    return [array_of(t) for t in step(*values_of(arguments, names))]


def array_of(tensor: Any) -> Array:
    """The value of an eager tensor: `np.asarray` alone refuses a single bfloat16."""
    return np.asarray(tensor.numpy())


def lower(graph: Graph, arguments: Mapping[str, Value], *, platform: str = "cpu", stage: str = "hlo") -> str:
    """HLO text of a pure graph for `cpu` or `gpu`; stage "hlo" is unoptimised, and there even where compilation fails.

    The shapes of `arguments` are those that are compiled for.
    """
    if platform not in PLATFORMS:
        raise Unsupported(f"platform {platform!r}; known are {', '.join(PLATFORMS)}")
    step, names = function_of(graph)
    ask = step.experimental_get_compiler_ir(*values_of(arguments, names))  # type: ignore[attr-defined]
    if "platform_name" in inspect.signature(ask).parameters:
        return str(ask(stage=stage, platform_name=PLATFORMS[platform]))
    if platform != "cpu":
        raise Unsupported(f"this TensorFlow cannot lower for {platform} where there is none: 2.16 and later can")
    return str(ask(stage=stage))  # our processes see no other device


def _without(node: Node, controls: set[str]) -> Node:
    """The node without waiting for an argument, which is there from the start."""
    return Node(node.definition, node.inputs, tuple(c for c in node.controls if c not in controls))


def values_of(arguments: Mapping[str, Value], names: Sequence[str]) -> list[Any]:
    """The inputs of `function_of` as tensors; raises Unsupported where one has no value."""
    import tensorflow as tf

    missing = [n for n in names if f"{n}:0" not in arguments]
    if missing:
        raise Unsupported(f"input {missing[0]} has no value, and what is to be compiled depends on it")
    # A resource is a tensor already, and no constant can be made of it.
    return [a if tf.is_tensor(a) else tf.constant(a) for a in (arguments[f"{n}:0"] for n in names)]


def _spec(graph: Graph, name: str) -> Any:
    import tensorflow as tf

    attributes = graph.nodes[name].definition.attr
    shape = attributes["shape"].shape
    dims = None if shape.unknown_rank else [None if d.size < 0 else int(d.size) for d in shape.dim]
    return tf.TensorSpec(dims, tf.dtypes.as_dtype(attributes["dtype"].type))
