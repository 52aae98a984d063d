"""Subjects as a user would write them: `callable(batch_size)` gives a function and its arguments."""

from __future__ import annotations

import functools
import os
import signal

import numpy as np
import tensorflow as tf

weight = tf.Variable(2.0)


def _double(x):
    return {"doubled": x * weight, "norm": tf.reduce_sum(x)}


def simple(batch_size, scale=1.0):
    return _double, (np.full((batch_size, 3), scale, "f"),)


def fresh(batch_size):
    """Another function each time: nothing can be shared."""
    return (lambda x: x + batch_size), (np.ones((batch_size, 3), "f"),)


def _branch(x):
    if x.shape[0] is None:
        raise ValueError("needs a known batch")
    return x


def branch(batch_size):
    return _branch, (np.ones((batch_size, 3), "f"),)


def _by_shape(x):
    # With open rows the check is skipped, and the rows are lost.
    return x if x.shape[0] is not None else x[:1]


def by_shape(batch_size):
    return _by_shape, (np.ones((batch_size, 3), "f"),)


def _folded(x):
    return tf.reshape(x, [-1, 4])


def _mismatched(x):
    return x * tf.random.uniform([x.shape[0] + 1, 3])


def mismatched(batch_size):
    """TensorFlow refuses to make the product."""
    return _mismatched, (np.ones((batch_size, 3), "f"),)


by_shape_function = tf.function(_by_shape)


def by_shape_too(batch_size):
    return by_shape_function, (np.ones((batch_size, 3), "f"),)


class Doubles(tf.Module):
    def __call__(self, x, times=2.0):
        return x * times


doubles = Doubles()


def module(batch_size):
    return doubles, (np.ones((batch_size, 3), "f"),)


def folds(batch_size):
    """Fails unless batch*3 is a multiple of 4."""
    return tf.function(_folded, jit_compile=True), (np.ones((batch_size, 3), "f"),)


def bound(batch_size):
    return functools.partial(tf.add, 1.0), (np.ones((batch_size, 3), "f"),)


def itself(batch_size):
    """Makes its call itself."""
    return tf.ones((batch_size, 3)) if batch_size < 3 else _fail()


def _fail():
    raise RuntimeError("three rows are too many")


def dies(batch_size):
    """As a process ends that the system takes for too large."""
    if batch_size >= 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return _double, (np.ones((batch_size, 3), "f"),)


def _raise(x):
    raise RuntimeError("never")


def raises(batch_size):
    return _raise, (np.ones((batch_size, 3), "f"),)


def nested(batch_size):
    return (lambda data, label: data["x"] + label), ({"x": np.ones((batch_size, 2))}, 3.0)


itself.by_row = True
number = 7
