"""Where a result lost its rows: back from the result, whatever rank it passed through, into branches and loops."""

from __future__ import annotations

import pytest

from tests.probes.graph.capsules import capsule_of

pytestmark = pytest.mark.slow


def halves_in_a_reshape(tf, x):
    x = tf.nn.relu(x)
    pairs = tf.reshape(x, (-1, 2, 3, 5))
    y = tf.reshape(tf.reduce_mean(pairs, axis=1), (tf.shape(pairs)[0], 15))
    return y @ tf.ones((15, 2)), x


def sums_in_a_loop(tf, x):
    total = tf.zeros((1, 3, 5))
    for i in tf.range(2):
        part = x[4 * i : 4 * i + 4]
        total += tf.reduce_sum(part, axis=0, keepdims=True)
    return total * 2.0


def drops_in_a_branch(tf, x):
    return tf.cond(tf.reduce_sum(x) > 0, lambda: x[:-1], lambda: x)


def many_of_each(tf, x):
    many = tf.repeat(tf.reshape(x, (-1, 15)), 3, axis=0)
    return many * tf.random.stateless_uniform(tf.shape(many), (1, 2))


def keeps(tf, x):
    return tf.reduce_sum(x, axis=1), x[:, 0]


@pytest.mark.parametrize(
    ("function", "op", "line", "taken", "given", "output"),
    [
        (halves_in_a_reshape, "Reshape", 14, (8, 3, 5), (4, 2, 3, 5), 0),
        (sums_in_a_loop, "Sum", 23, (4, 3, 5), (1, 3, 5), 0),
        (drops_in_a_branch, "StridedSlice", 28, (8, 3, 5), (7, 3, 5), 0),
    ],
)
def test_the_op_that_loses_rows(tmp_path, function, op, line, taken, given, output):
    born = _asked(tmp_path, function)
    assert (born.op, born.loses, born.shape, born.output) == (op, True, given, output)
    assert born.inputs[0].shape == taken
    assert born.sources[-1][:2] == (__file__, line)


def test_rows_that_are_repeated_do_not_come_from_what_is_drawn_beside_them(tmp_path):
    born = _asked(tmp_path, many_of_each)
    assert (born.op, born.loses, born.shape) == ("Reshape", False, (24, 15))
    assert born.sources[-1][1] == many_of_each.__code__.co_firstlineno + 1


def test_a_result_with_all_its_rows_was_not_born_anew(tmp_path):
    assert _asked(tmp_path, keeps) is None


def _asked(folder, function):
    import numpy as np
    import tensorflow as tf

    from probes.graph import load, step
    from probes.graph.birth import rows_birth

    def of_tensors(x):
        return function(tf, x)

    x = np.ones((8, 3, 5), "float32")
    concrete = tf.function(of_tensors).get_concrete_function(tf.TensorSpec([None, 3, 5], tf.float32))
    capsule, _ = capsule_of(folder / "capsule", concrete, [x])
    return rows_birth(step.prepare(load.load(capsule), batch=8), 8)
