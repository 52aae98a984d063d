"""The first batch of a recorded dataset, made of its graph: nothing runs in it but TensorFlow's own ops on numbers.

Shuffles, caches and what only schedules are left out on the way: rows in the order in which they stand are as good, and
a shuffle would compute as many elements as its buffer has.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..schema import DATASET_VALUE
from . import emit
from .errors import GraphRoomError, Unsupported
from .load import Array, Program
from .safety import safe_ops

_PASSED_BY = frozenset(
    {
        "CacheDataset", "CacheDatasetV2", "MaxIntraOpParallelismDataset", "ModelDataset", "OptionsDataset",
        "PrefetchDataset", "PrivateThreadPoolDataset", "RepeatDataset", "ShuffleAndRepeatDataset",
        "ShuffleAndRepeatDatasetV2", "ShuffleDataset", "ShuffleDatasetV2", "ShuffleDatasetV3",
    }
)  # fmt: skip
_MAY_RUN = frozenset(
    {
        "AssertCardinalityDataset", "BatchDataset", "BatchDatasetV2", "ConcatenateDataset", "FilterDataset",
        "FlatMapDataset", "InterleaveDataset", "MapAndBatchDataset", "MapDataset", "PaddedBatchDataset",
        "PaddedBatchDatasetV2", "ParallelBatchDataset", "ParallelFilterDataset", "ParallelInterleaveDatasetV2",
        "ParallelInterleaveDatasetV3", "ParallelInterleaveDatasetV4", "ParallelMapDataset", "ParallelMapDatasetV2",
        "RangeDataset", "RebatchDataset", "RebatchDatasetV2", "ScanDataset", "ShardDataset", "SkipDataset",
        "SlidingWindowDataset", "TakeDataset", "TakeWhileDataset", "TensorDataset", "TensorSliceDataset",
        "UnbatchDataset", "WindowDataset", "WindowOp", "ZipDataset", "_Retval",
    }
)  # fmt: skip
_END = "_Retval"


def with_batch(program: Program) -> tuple[Program, str | None]:
    """The program with the first batch of its dataset in the place of the dataset, or without it; why there is none."""
    if DATASET_VALUE not in program.values:
        return program, None
    values = {k: v for k, v in program.values.items() if k != DATASET_VALUE}
    try:
        batch, why = first_batch(program.values[DATASET_VALUE].tobytes()), None
    except GraphRoomError as error:
        batch, why = [], f"its batch could not be made of the dataset: {error}"
    values |= {f"data:{i}": array for i, array in enumerate(batch)}
    return dataclasses.replace(program, values=values), why


def first_batch(written: bytes) -> list[Array]:
    """The flat tensors of the first element.

    Raises:
        Unsupported: an op may not run, or one does not pass.
    """
    import tensorflow as tf

    definition = tf.compat.v1.GraphDef()
    try:
        definition.ParseFromString(written)
    except Exception as error:
        raise Unsupported(f"no graph of a dataset ({error})") from error
    last = _passed_by(definition)
    _refuse(definition)
    types = last.attr["output_types"].list.type or last.attr["Toutput_types"].list.type
    shapes = [tf.TensorShape(s) for s in last.attr["output_shapes"].list.shape]
    if not types or len(shapes) != len(types):
        raise Unsupported("what its dataset gives is not known")
    with tf.device("CPU:0"):
        try:
            dataset = tf.raw_ops.DatasetFromGraph(graph_def=definition.SerializeToString())
            iterator = tf.raw_ops.AnonymousIteratorV3(output_types=list(types), output_shapes=shapes)
            tf.raw_ops.MakeIterator(dataset=dataset, iterator=iterator)
            found = tf.raw_ops.IteratorGetNext(iterator=iterator, output_types=list(types), output_shapes=shapes)
        except (tf.errors.OpError, ValueError, TypeError) as error:
            raise Unsupported(str(error).splitlines()[0][:200]) from error
        return [np.asarray(t) for t in found]


def _passed_by(definition: Any) -> Any:
    """Let what only orders or schedules be passed by; the node that gives the elements."""
    nodes = {str(n.name): n for n in definition.node}
    for node in definition.node:
        for number, name in enumerate(node.input):
            node.input[number] = _behind(nodes, str(name))
    end = next((n for n in definition.node if n.op == _END and n.input), None)
    last = nodes.get(str(end.input[0]).partition(":")[0]) if end is not None else None
    if end is None or last is None:
        raise Unsupported("no graph of a dataset")
    wanted, waiting = {str(end.name)}, [str(n) for n in end.input]
    while waiting:
        name = waiting.pop().lstrip("^").partition(":")[0]
        if name not in wanted and name in nodes:
            wanted.add(name)
            waiting += nodes[name].input
    kept = [n for n in definition.node if n.name in wanted]
    del definition.node[:]
    definition.node.extend(kept)
    return last


def _behind(nodes: dict[str, Any], name: str) -> str:
    for _ in itertools.repeat(None, len(nodes)):
        node = nodes.get(name.partition(":")[0])
        if node is None or node.op not in _PASSED_BY or not node.input:
            break
        name = str(node.input[0])
    return name


def _refuse(definition: Any) -> None:
    functions = {str(f.signature.name): f for f in definition.library.function}
    nodes: Iterator[Any] = itertools.chain(definition.node, *(f.node_def for f in functions.values()))
    for node in nodes:
        if node.op not in _MAY_RUN and node.op not in safe_ops() and node.op not in functions:
            raise Unsupported(f"op {node.op} may touch files, network, Python or other processes")
        missing = [f for f in emit.functions_in(node)[1:] if f not in functions]
        if missing:
            raise Unsupported(f"the function {missing[0]} of its dataset is not in the graph")
