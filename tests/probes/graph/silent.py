"""Programs whose compiled form returns something else than their plain form, without any error; and healthy ones that
look like it. Each gives (python function, arguments); they are traced with open dimensions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

ROWS = 6


def _rows(columns: int = 3) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(ROWS, columns)).astype("f")


def masked_cumsum() -> tuple[Any, list[Any]]:
    """A running sum along the axis that a mask has made dynamic: XLA gives another shape, or dies."""

    @tf.function
    def program(x):
        return tf.cumsum(tf.boolean_mask(x, x[:, 0] > 0), axis=0, name="running")

    return program, [_rows()]


def masked_roll() -> tuple[Any, list[Any]]:
    """Rolled along the axis that a mask has made dynamic: XLA rolls with the rows that the mask took away."""

    @tf.function
    def program(x):
        return tf.roll(tf.boolean_mask(x, x[:, 0] > 0), 1, axis=0) * 2.0

    return program, [_rows()]


def logistic() -> tuple[Any, list[Any]]:
    """Healthy and chaotic: rounding grows until nothing of the value is left."""

    @tf.function
    def program(x):
        for _ in range(80):
            x = 3.9 * x * (1.0 - x)
        return x

    return program, [np.random.default_rng(1).random((ROWS, 50)).astype("f")]


def gather_out_of_range() -> tuple[Any, list[Any]]:
    """Plain mode raises; XLA clamps the index."""

    @tf.function
    def program(x, index):
        return tf.gather(x, index, name="taken") * 2.0

    return program, [_rows(), np.array([0, 99], "i")]


def einsum_of_other_sizes() -> tuple[Any, list[Any]]:
    """Contracted axes of 3 and 4: plain mode raises, XLA pads or cuts one of them."""

    @tf.function
    def program(a, b):
        return tf.einsum("ij,jk->ik", a, b)

    return program, [_rows(3), np.ones((4, 2), "f")]


def dropped_assert() -> tuple[Any, list[Any]]:
    """An assertion that does not hold: XLA drops it."""

    @tf.function
    def program(x):
        with tf.control_dependencies([tf.debugging.assert_less(x, 0.0, message="negative numbers wanted")]):
            return tf.identity(x) + 1.0

    return program, [np.abs(_rows())]


def rows_by_modulo() -> tuple[Any, list[Any]]:
    """Each row gets the weight of a row whose number is the remainder of a division."""

    @tf.function
    def program(x, weights):
        count = tf.shape(x)[0]
        return x * tf.gather(weights, (tf.range(count) * 2) % count)

    return program, [_rows(), np.arange(1, ROWS + 1, dtype="f")[:, None]]


def centred_over_the_batch() -> tuple[Any, list[Any]]:
    """The mean along the wrong axis."""

    @tf.function
    def program(x):
        return tf.complex(x - tf.reduce_mean(x, axis=0, keepdims=True), x)

    return program, [_rows()]


def collapses_from_four() -> tuple[Any, list[Any]]:
    """From four rows on they are summed into one."""

    @tf.function
    def program(x):
        return tf.cond(tf.shape(x)[0] < 4, lambda: x * 1.0, lambda: tf.reduce_sum(x, axis=0, keepdims=True))

    return program, [_rows()]


def fixed_order() -> tuple[Any, list[Any]]:
    """Answers follow the place in the batch, not the row: a table that was made for one order of rows."""
    table = tf.constant(np.arange(ROWS, dtype="f")[:, None])

    @tf.function
    def program(x):
        return x[:, :1] * 0.0 + table[: tf.shape(x)[0]]

    return program, [_rows()]


def draws_freely() -> tuple[Any, list[Any]]:
    @tf.function
    def program(x):
        return x + tf.random.uniform(tf.shape(x)), x * 2.0

    return program, [_rows()]


def ill_conditioned() -> tuple[Any, list[Any]]:
    """Healthy: the sign of a sum that is zero but for rounding, as in the first step of Adam."""

    @tf.function
    def program(x):
        total = tf.reduce_sum(tf.sin(x * 1000.0) ** 2 + tf.cos(x * 1000.0) ** 2 - 1.0, axis=1)
        return total / (tf.abs(total) + 1e-12), tf.reduce_sum(x, axis=1)

    return program, [np.random.default_rng(1).random((ROWS, 500)).astype("f")]


def healthy() -> tuple[Any, list[Any]]:
    """A table of two rows, a scalar, rows, and rows in complex numbers."""

    @tf.function
    def program(x, z):
        return tf.ones([2, 2]), tf.reduce_sum(x), tf.nn.softmax(x), tf.signal.ifft(tf.signal.fft(z)) * (1 + 1e-3j)

    return program, [_rows(), np.exp(1j * np.random.default_rng(2).normal(size=(ROWS, 16))).astype("complex64")]


ALL = (
    masked_cumsum, gather_out_of_range, einsum_of_other_sizes, dropped_assert, rows_by_modulo, centred_over_the_batch,
    collapses_from_four, fixed_order, draws_freely, ill_conditioned, healthy,
)  # fmt: skip
