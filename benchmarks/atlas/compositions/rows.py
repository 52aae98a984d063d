"""Rows that a mask has selected, long sums, and gradients."""

import numpy as np
import tensorflow as tf

from benchmarks.atlas.compositions.base import ROW, TABLE, around, composition


@composition("reshape", "boolean_mask")
def reshape_of_masked_rows(x):
    """Reshape three selected rows to two columns."""
    return tf.reshape(tf.boolean_mask(x, x > 1.5), [-1, 2])


@composition("sqrt", "where", "GradientTape", given=(np.array([0.0, 4.0], np.float32),))
def gradient_of_where_at_zero(x):
    """The gradient of `tf.where(x > 0, sqrt(x), 0)` at 0."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        made = tf.where(x > 0.0, tf.sqrt(x), 0.0)
    return tape.gradient(made, x)


@around("safe-where", "gradient_of_where_at_zero")
def _(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        made = tf.where(x > 0.0, tf.sqrt(tf.where(x > 0.0, x, 1.0)), 0.0)
    return tape.gradient(made, x)


@composition("sqrt", "boolean_mask", "GradientTape", given=(np.array([0.0, 4.0], np.float32),))
def gradient_of_a_masked_root_at_zero(x):
    """The gradient of the sum of roots from which a mask takes the root of 0 away."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(tf.boolean_mask(tf.sqrt(x), x > 0.0))
    return tape.gradient(loss, x)


@around("select-first", "gradient_of_a_masked_root_at_zero")
def _(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(tf.sqrt(tf.boolean_mask(x, x > 0.0)))
    return tape.gradient(loss, x)


@composition("math.rsqrt", "math.reciprocal", "GradientTape", given=(np.array([0.0, 4.0], np.float32),))
def gradient_of_where_reciprocal_at_zero(x):
    """The gradients of `tf.where(x > 0, rsqrt(x), 0)` and of the same with `reciprocal`, at 0."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        made = tf.where(x > 0.0, tf.math.rsqrt(x) + tf.math.reciprocal(x), 0.0)
    return tape.gradient(made, x)


@composition("math.reduce_std", "where", "GradientTape", given=(np.array([0.0, 4.0], np.float32),))
def gradient_of_where_deviation_at_zero(x):
    """The gradient of `tf.where(x > 0, reduce_std([x, -x]), 0)` at 0."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        made = tf.where(x > 0.0, tf.math.reduce_std(tf.stack([x, -x], 1), 1), 0.0)
    return tape.gradient(made, x)


@composition("boolean_mask", given=(TABLE,))
def mean_of_masked_rows(x):
    """The mean and standard deviation of the rows that a mask has selected."""
    rows = tf.boolean_mask(x, x[:, 0] > 3.0)
    return tf.reduce_mean(rows, 0), tf.math.reduce_std(rows, 0)


@composition("boolean_mask")
def mean_of_no_rows(x):
    """The mean and maximum of a mask that selects nothing."""
    rows = tf.boolean_mask(x, x > 100.0)
    return tf.reduce_mean(rows), tf.reduce_max(rows)


@composition("boolean_mask")
def last_masked_row(x):
    """The last of the rows that a mask has selected."""
    return tf.boolean_mask(x, x < 2.5)[-1]


@around("reverse-first", "last_masked_row")
def _(x):
    return tf.reverse(tf.boolean_mask(x, x < 2.5), [0])[0]


@composition("boolean_mask")
def cumsum_of_masked_rows(x):
    """The running sum of the rows that a mask has selected."""
    return tf.cumsum(tf.boolean_mask(x, x > 1.5))


@around("zeros-for-rows", "cumsum_of_masked_rows")
def _(x):
    keep = x > 1.5
    return tf.boolean_mask(tf.cumsum(tf.where(keep, x, 0.0)), keep)


@composition("boolean_mask")
def reverse_of_masked_rows(x):
    """The rows that a mask has selected, in reverse."""
    return tf.reverse(tf.boolean_mask(x, x < 2.5), [0])


@composition("boolean_mask", "add")
def masked_rows_plus_a_fixed_tensor(x):
    """Three selected rows plus a tensor of four rows."""
    return tf.boolean_mask(x, x > 1.5) + x


@composition("unique", given=(np.array([2, 7, 2, 7, 7], np.int32),))
def counts_of_unique(x):
    """`tf.unique_with_counts` and the mean of the counts."""
    values, _, counts = tf.unique_with_counts(x)
    return values, tf.reduce_mean(tf.cast(counts, tf.float32)), tf.size(values)


@composition("where")
def gather_of_where(x):
    """The rows at `tf.where(x > 2)`, and how many there are."""
    at = tf.where(x > 2.0)
    return tf.gather_nd(x, at), tf.shape(at)[0]


@composition("where", "GradientTape")
def gradient_through_masked_rows(x):
    """The gradient of the mean of the rows that a mask has selected."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_mean(tf.boolean_mask(x, x > 1.5) ** 2)
    return tape.gradient(loss, x)


@composition("reduce_sum", given=(np.array(10**7, np.int32),))
def sum_of_ten_million(n):
    """The sum of 10^7 numbers of float32, all 0.1."""
    return tf.reduce_sum(tf.fill([10**7], 0.1) * tf.cast(n, tf.float32) / 1e7)


@composition("reduce_sum", given=(np.array(0.1, np.float16),))
def sum_of_a_million_halves(x):
    """The mean of 10^6 numbers of float16, all 0.1."""
    return tf.reduce_mean(tf.fill([10**6], 1.0) * tf.cast(x, tf.float32)), tf.reduce_mean(
        tf.zeros([10**6], x.dtype) + x
    )


@composition("cumsum", given=(np.array(0.1, np.float32),))
def cumsum_of_a_million(x):
    """The last element of the running sum of 10^6 numbers of float32."""
    return tf.cumsum(tf.zeros([10**6]) + x)[-1]


@composition("math.reduce_variance", given=(np.array(4096.0, np.float32),))
def variance_far_from_zero(x):
    """The variance of 10^6 numbers around 4096."""
    return tf.math.reduce_variance(x + tf.cast(tf.range(10**6) % 7, tf.float32))


@composition("math.reduce_mean", given=(np.array(4096.0, np.float32),))
def mean_of_squares_far_from_zero(x):
    """The mean of squares minus the square of the mean, of 10^6 numbers around 4096."""
    terms = x + tf.cast(tf.range(10**6) % 7, tf.float32)
    return tf.reduce_mean(terms**2) - tf.reduce_mean(terms) ** 2


@composition("linalg.matmul", given=(np.array(0.1, np.float32),))
def dot_of_a_million(x):
    """The product of a row and a column of 10^6 numbers of float32."""
    return tf.matmul(tf.zeros([1, 10**6]) + x, tf.zeros([10**6, 1]) + x)


@composition("gather", "GradientTape", given=(ROW, np.array([1, 9], np.int32)))
def gradient_of_gather_past_the_end(x, at):
    """The gradient of `tf.gather` with an index behind the end."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(tf.gather(x, at) ** 2)
    return tf.convert_to_tensor(tape.gradient(loss, x))


@composition(
    "nn.sparse_softmax_cross_entropy_with_logits", "GradientTape", given=(TABLE, np.array([0, 1, 2, 7], np.int32))
)
def gradient_of_a_label_out_of_range(logits, labels):
    """The loss of a label that no class has, and its gradient."""
    with tf.GradientTape() as tape:
        tape.watch(logits)
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
    return loss, tape.gradient(loss, logits)


@composition("reduce_max", "GradientTape", given=(np.array([1.0, 3.0, 3.0], np.float32),))
def gradient_of_the_maximum_of_ties(x):
    """The gradient of `tf.reduce_max` where two elements are largest."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_max(x)
    return tape.gradient(loss, x)
