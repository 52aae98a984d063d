"""A reduction over the rows that is given back to each row: found at its line, and what is meant is left alone."""

from __future__ import annotations

import inspect

import pytest

from tests.probes.graph.capsules import capsule_of

pytestmark = pytest.mark.slow

N, F = 6, 3


def centred(tf, v, seen, x, y):
    h = x * v
    h = h - tf.reduce_mean(h, axis=0)  # BAD
    return tf.reduce_mean(tf.square(tf.reduce_sum(h, axis=1) - y))


def standardised(tf, v, seen, x, y):
    mean, variance = tf.nn.moments(x, axes=[0, 1])  # BAD
    h = (x - mean) * tf.math.rsqrt(variance + 1e-6)
    return tf.reduce_mean(tf.square(tf.reduce_sum(h * v, axis=1) - y))


def gated_by_a_pool(tf, v, seen, x, y):
    s = tf.sigmoid(tf.reduce_mean(x, axis=0) * v)  # BAD
    return tf.reduce_mean(tf.square(tf.reduce_sum(x * s, axis=1) - y))


def largest_of_each_column(tf, v, seen, x, y):
    h = x * v / tf.reduce_max(tf.abs(x), axis=0)  # BAD
    return tf.reduce_sum(h, axis=1)


def centred_and_laid_flat(tf, v, seen, x, y):
    h = x - tf.reduce_mean(x, axis=0)  # BAD
    flat = tf.reshape(h, (-1, 1)) * v[0]
    return tf.reduce_sum(tf.reshape(flat, (-1, F)), axis=1)


def by_row(tf, v, seen, x, y):
    h = x * v - tf.reduce_mean(x, axis=1, keepdims=True)
    return tf.reduce_mean(tf.square(tf.reduce_sum(h, axis=1) - y))


def kept_for_later(tf, v, seen, x, y):
    mean = tf.reduce_mean(x * v, axis=0)
    seen.assign(0.9 * seen + 0.1 * mean)
    return tf.reduce_mean(tf.square(tf.reduce_sum(x * v - mean, axis=1) - y))


def spread_in_the_batch(tf, v, seen, x, y):
    spread = tf.reduce_mean(tf.math.reduce_std(x * v, axis=0))
    h = tf.concat([x, tf.fill([tf.shape(x)[0], 1], spread)], axis=1)
    return tf.reduce_mean(tf.square(tf.reduce_sum(h, axis=1) - y))


def a_stable_softmax(tf, v, seen, x, y):
    e = tf.exp(x * v - tf.reduce_max(x * v))
    return tf.reduce_mean(tf.square(tf.reduce_sum(e, axis=1) - y))


def variance_as_a_penalty(tf, v, seen, x, y):
    h = x * v
    penalty = tf.reduce_mean(tf.square(h - tf.reduce_mean(h, axis=0)))
    return tf.reduce_mean(tf.square(tf.reduce_sum(h, axis=1) - y)) + penalty


def similarity(tf, v, seen, x, y):
    h = x * v
    return tf.reduce_sum(tf.nn.softmax(h @ tf.transpose(h)) @ h, axis=1) - y


BAD = [centred, centred_and_laid_flat, standardised, gated_by_a_pool, largest_of_each_column]
GOOD = [by_row, kept_for_later, spread_in_the_batch, a_stable_softmax, variance_as_a_penalty, similarity]


@pytest.mark.parametrize("function", [*BAD, *GOOD], ids=lambda f: f.__name__)
def test_what_is_pooled_over_the_rows(tmp_path, function):
    import tensorflow as tf

    from probes.graph.pairing import pairing

    v = tf.Variable(tf.random.stateless_uniform((F,), (1, 2)))
    seen = tf.Variable(tf.zeros((F,)), trainable=False)

    @tf.function
    def step(x, y):
        return function(tf, v, seen, x, y)

    concrete = step.get_concrete_function(tf.TensorSpec([None, F]), tf.TensorSpec([None]))
    capsule_of(tmp_path, concrete, [], values=False)
    told = pairing(tmp_path, sizes=(N,))
    lines, start = inspect.getsourcelines(function)
    marked = [start + n for n, line in enumerate(lines) if "# BAD" in line]
    assert told.result == "asked"
    assert [p.sources[-1][1] for p in told.pooled] == marked, told.pooled
