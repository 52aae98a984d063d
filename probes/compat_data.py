"""Every private name of `tf.data` that the probes lean on; `compat.py` says what follows where one is not there."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from .compat import attribute, class_with

KERAS_WINDOWS = ("keras.src.utils.timeseries_dataset_utils", "timeseries_dataset_from_array")
"""Keras 3: the module and the name of what makes windows of a series."""


def can_be_fed(iterator: Any) -> bool:
    """True for an iterator whose elements can be taken here and given on by another one: no distributed one, and dense
    or ragged tensors only.
    """
    if not isinstance(iterator, owned_iterator_class()):
        return False
    specs = importlib.import_module("tensorflow").nest.flatten(getattr(iterator, "element_spec", None))
    return all(type(spec).__name__ in ("TensorSpec", "RaggedTensorSpec") for spec in specs)


def owned_iterator_class() -> type:
    """The class of what `iter(dataset)` gives when executing eagerly."""
    return class_with("tensorflow.python.data.ops.iterator_ops", "OwnedIterator", "__next__")


def dataset_class() -> type:
    """The class of every `tf.data.Dataset`."""
    return class_with("tensorflow.python.data.ops.dataset_ops", "DatasetV2", "__init__")


def iterator_of(elements: Callable[[], Any], spec: Any) -> Any:
    """An iterator over the elements of a generator function, of this element spec."""
    tensorflow = importlib.import_module("tensorflow")
    with tensorflow.init_scope(), tensorflow.device("cpu:0"):
        return iter(tensorflow.data.Dataset.from_generator(elements, output_signature=spec))


def out_of_range() -> type[Exception]:
    """What ends an iterator in C++."""
    found: type[Exception] = attribute("tensorflow.python.framework.errors_impl", "OutOfRangeError")
    return found


def serialized(dataset: Any) -> bytes:
    """The graph of a dataset, with the arrays that it holds. What has a state, such as a shuffle, is written without a
    word.
    """
    policy = attribute("tensorflow.python.data.ops.options", "ExternalStatePolicy").IGNORE
    with importlib.import_module("tensorflow").device("cpu:0"):
        written: bytes = dataset._as_serialized_graph(external_state_policy=policy).numpy()
    return written
