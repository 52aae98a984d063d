"""A batch is made of the graph of a dataset, and of that alone."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from probes import compat_data
from probes.graph.batches import first_batch, with_batch
from probes.graph.errors import Unsupported
from probes.record.pipelines import Unwritten, size_of
from probes.schema import DATASET_VALUE

pytestmark = pytest.mark.slow

X = np.arange(24, dtype="float32").reshape(12, 2)
Y = np.arange(12, dtype="int32")


@pytest.fixture(scope="module")
def data():
    import tensorflow as tf

    return tf.data.Dataset


def rows(data):
    return data.from_tensor_slices((X, Y))


def doubled(x, y):
    return x * 2.0, {"label": y}


def test_what_is_mapped_shuffled_and_cached_is_made_in_order(data):
    made = rows(data).map(doubled).cache().shuffle(12, seed=1).repeat().batch(4).prefetch(2)
    x, y = first_batch(compat_data.serialized(made))
    np.testing.assert_array_equal(x, X[:4] * 2)
    np.testing.assert_array_equal(y, Y[:4])


def test_windows_of_a_range(data):
    import tensorflow as tf

    made = data.range(12).window(3, shift=1, drop_remainder=True).flat_map(lambda w: w.batch(3)).batch(2)
    [found] = first_batch(compat_data.serialized(made.map(lambda i: tf.gather(X, i))))
    np.testing.assert_array_equal(found, X[[[0, 1, 2], [1, 2, 3]]])
    assert size_of(rows(data).batch(4)) == X.nbytes + Y.nbytes


def test_a_batch_stands_in_the_place_of_the_dataset(data):
    import dataclasses

    @dataclasses.dataclass(frozen=True)
    class Program:
        values: dict

    written = np.frombuffer(compat_data.serialized(rows(data).batch(5)), np.uint8)
    program, why = with_batch(Program({DATASET_VALUE: written, "input:0": Y}))
    assert (sorted(program.values), why) == (["data:0", "data:1", "input:0"], None)
    program, why = with_batch(Program({DATASET_VALUE: written[:-9]}))
    assert program.values == {}
    assert "could not be made" in why


def test_what_calls_python_or_holds_a_variable_is_not_run(data):
    import tensorflow as tf

    weight = tf.Variable(2.0)
    for made, why in (
        (rows(data).map(lambda x, y: (tf.numpy_function(np.sin, [x], tf.float32), y)), "calls Python"),
        (data.from_generator(lambda: iter(X), output_signature=tf.TensorSpec((2,))), "calls Python"),
        (rows(data).map(lambda x, y: (x * weight, y)), "resource"),
        (data.from_tensor_slices(["a", "b"]), "string"),
        (tf.data.TextLineDataset(__file__), "reads files"),
    ):
        with pytest.raises(Unwritten, match=why):
            size_of(made.batch(2))
        with pytest.raises(Unsupported):
            # Whatever the recorder let through, nothing but ops on numbers runs here.
            first_batch(compat_data.serialized(made.map(lambda *_: tf.io.read_file("x")).batch(2)))


def test_an_unknown_source_is_named():
    made = type("_OddDataset", (), {"_inputs": lambda self: [], "element_spec": None})()
    with pytest.raises(Unwritten, match="begins with a OddDataset"):
        size_of(made)
    assert size_of(type("_RangeDataset", (), {"_inputs": lambda self: [], "x": SimpleNamespace()})()) == 0
