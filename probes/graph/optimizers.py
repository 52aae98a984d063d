"""Which of TensorFlow's graph optimizers makes the difference: a step is run with all of them, and with each one off.

A plain function is rewritten before it runs (`tensorflow/core/grappler/optimizers/meta_optimizer.cc`): constants are
folded, ops are put into one, shapes that the graph claims are taken for true. So a message can name another node than
the one that fails, and a step can fail that does not fail op by op.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ..protocol.answers import OptimizerTry, TriedOptimizers
from . import compiled
from .errors import Unsupported
from .ir import Graph
from .outcome import closed
from .step import Step

SINGLE = (
    "remapping",
    "constant_folding",
    "arithmetic_optimization",
    "shape_optimization",
    "layout_optimizer",
    "dependency_optimization",
    "loop_optimization",
    "function_optimization",
    "implementation_selector",
)
"""Those that are on by default, as `tf.config.optimizer.set_experimental_options` names them; the likelier first."""
_ALL_OFF: Mapping[str, bool] = {"disable_meta_optimizer": True}
_NODE = re.compile(r"\{\{node ([^\s{}]{1,500})\}\}")
_AROUND = ("Detected at", "File ", "[[", "Graph execution error", "<stack")
_MESSAGE = 1000
_TIMES = 3
_SECONDS = 20.0


def tried(step: Step, seconds: float = _SECONDS) -> TriedOptimizers:
    """The step with TensorFlow's optimizers and with none of them. Where that differs, with each single one off, while
    so many seconds last.

    Raises:
        Unsupported: an input has no value, or another shape than the step claims.
    """
    until = time.monotonic() + seconds
    graph = closed(step)
    every, none = _always(step, graph, {}), _always(step, graph, _ALL_OFF)
    single: dict[str, OptimizerTry] = {}
    known = every is not None and none is not None and every != none
    for name in SINGLE if known else ():
        if time.monotonic() >= until:
            break
        told = _always(step, graph, {name: False})
        if told is not None:
            single[name] = told
    return TriedOptimizers(
        every=every,
        none=none,
        single=single,
        decisive=tuple(name for name, told in single.items() if told != every),
        filled=tuple(step.filled),
    )


def _always(step: Step, graph: Graph, options: Mapping[str, bool]) -> OptimizerTry | None:
    """What comes of it each time; None where that differs: of two ops that both fail, chance says which is named."""
    first, *others = (_outcome(step, graph, options) for _ in range(_TIMES))
    return first if all(other == first for other in others) else None


def _outcome(step: Step, graph: Graph, options: Mapping[str, bool]) -> OptimizerTry:
    """What comes of the graph as a function of its own, which TensorFlow rewrites anew."""
    import tensorflow as tf

    function, names = compiled.function_of(graph, jit=False)
    given = compiled.values_of(step.arguments, names)
    with _set(options):
        try:
            for tensor in function(*given):
                tensor.numpy()
        except TypeError as error:
            raise Unsupported("the step claims another shape of an input than it was given") from error
        except tf.errors.OpError as error:
            message = str(error)
            return OptimizerTry("failed", _of_step(graph, message), type(error).__name__, _own(message))
    return OptimizerTry("passed")


@contextmanager
def _set(options: Mapping[str, bool]) -> Iterator[None]:
    """These options of this process's optimizers, and afterwards those before."""
    import tensorflow as tf

    before = tf.config.optimizer.get_experimental_options()
    tf.config.optimizer.set_experimental_options(dict(options))
    try:
        yield
    finally:
        # What has no value is TensorFlow's default again.
        tf.config.optimizer.set_experimental_options({name: before.get(name) for name in options})


def _of_step(graph: Graph, message: str) -> tuple[str, ...]:
    """The nodes that a message names, as the step has them: flat names are ours."""
    origins = [graph.origins.get(name) for name in dict.fromkeys(_NODE.findall(message))]
    return tuple("/".join((*o.path, o.node)) for o in origins if o is not None)


def _own(message: str) -> str:
    """What it says, without the way to the node and what calls it."""
    lines = (line.strip() for line in message.splitlines())
    told = [line for line in lines if line and not line.startswith(_AROUND)]
    return re.sub(r" \[Op:\w+\]$", "", " ".join(told))[:_MESSAGE]
