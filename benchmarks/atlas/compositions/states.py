"""Checks that must fail, variables, indices out of range, and ops of the host."""

import numpy as np
import tensorflow as tf

from benchmarks.atlas.compositions.base import ROW, TABLE, around, composition, under_xla


@composition("debugging.assert_less", "debugging.assert_equal", "Assert")
def assert_that_fails(x):
    """`tf.debugging.assert_less` that must fail."""
    tf.debugging.assert_less(x, 2.0)
    return x * 2.0


@around("check-before", "assert_that_fails", compiled=False)
def _(x):
    tf.debugging.assert_less(x, 2.0)
    return under_xla(lambda v: v * 2.0)(x)


@composition("debugging.assert_shapes", "boolean_mask")
def assert_shape_of_masked_rows(x):
    """`tf.debugging.assert_equal` of the number of selected rows that must fail."""
    rows = tf.boolean_mask(x, x > 1.5)
    tf.debugging.assert_equal(tf.shape(rows)[0], 4)
    return tf.reduce_sum(rows)


@composition("debugging.check_numerics", given=(np.array([1.0, np.nan], np.float32),))
def check_numerics_that_fails(x):
    """`tf.debugging.check_numerics` of a NaN."""
    return tf.debugging.check_numerics(x, "not finite") * 2.0


@around("check-after", "check_numerics_that_fails", compiled=False)
def _(x):
    return tf.debugging.check_numerics(under_xla(lambda v: v * 2.0)(x), "not finite")


@composition("debugging.assert_all_finite", given=(np.array([1.0, np.inf], np.float32),))
def assert_all_finite_that_fails(x):
    """`tf.debugging.assert_all_finite` of an infinity."""
    return tf.debugging.assert_all_finite(x, "not finite")


@composition("ensure_shape", "boolean_mask")
def ensure_shape_of_masked_rows(x):
    """`tf.ensure_shape` of selected rows that are fewer."""
    return tf.ensure_shape(tf.boolean_mask(x, x > 1.5), [4])


@composition("ensure_shape", "boolean_mask")
def ensure_shape_of_dynamic_rows(x):
    """`tf.ensure_shape` of selected rows that are as many."""
    return tf.ensure_shape(tf.boolean_mask(x, x > 1.5), [3])


@composition("Variable.scatter_update", "IndexedSlices", given=(np.array([1, 1, 1], np.int32), ROW[:3]), held=(ROW,))
def variable_scatter_update_duplicates(at, values, v):
    """`Variable.scatter_update` with one index three times."""
    return v.scatter_update(tf.IndexedSlices(values, at))


@composition("Variable.scatter_add", "IndexedSlices", given=(np.array([1, 1, 1], np.int32), ROW[:3]), held=(ROW,))
def variable_scatter_add_duplicates(at, values, v):
    """`Variable.scatter_add` with one index three times."""
    return v.scatter_add(tf.IndexedSlices(values, at))


@composition("Variable.scatter_update", "IndexedSlices", given=(np.array([1, 9], np.int32), ROW[:2]), held=(ROW,))
def variable_scatter_update_past_the_end(at, values, v):
    """`Variable.scatter_update` with an index behind the end."""
    return v.scatter_update(tf.IndexedSlices(values, at))


@composition("Variable.scatter_nd_update", given=(np.array([[1], [9]], np.int32), ROW[:2]), held=(ROW,))
def variable_scatter_nd_update_past_the_end(at, values, v):
    """`Variable.scatter_nd_update` with an index behind the end."""
    return v.scatter_nd_update(at, values)


@composition("scatter_nd", given=(np.array([[1], [9]], np.int32), ROW[:2]))
def scatter_nd_past_the_end(at, values):
    """`tf.scatter_nd` with an index behind the end."""
    return tf.scatter_nd(at, values, [4])


@around("check-indices", "scatter_nd_past_the_end", compiled=False)
def _(at, values):
    tf.debugging.assert_less(at, 4)
    return under_xla(lambda i, v: tf.scatter_nd(i, v, [4]))(at, values)


@composition("Variable.assign", "cond", held=(ROW,))
def variable_assign_in_a_branch(x, v):
    """Assign to a variable in one branch of a condition, then read it."""
    if tf.reduce_sum(x) > 100.0:
        v.assign(x * 0.0)
    else:
        v.assign_add(x)
    return v.read_value()


@composition("Variable.assign", held=(ROW,))
def variable_slice_assign_past_the_end(x, v):
    """Assign to a slice of a variable that reaches behind its end."""
    return v[2:9].assign(x[:2])


@composition("Variable.assign", "boolean_mask", held=(ROW,))
def variable_assign_masked_rows(x, v):
    """Assign the rows that a mask has selected to a variable of four rows."""
    return v.assign(tf.boolean_mask(x, x > 1.5))


@composition("Variable.assign_add", held=(np.array(2**31 - 1, np.int32),))
def variable_counter_overflows(x, v):
    """Count on from the largest int32 in a variable."""
    return v.assign_add(1)


@composition("py_function")
def python_function(x):
    """`tf.py_function`."""
    return tf.py_function(lambda v: v * 2.0, [x], tf.float32)


@composition("print")
def printed(x):
    """`tf.print`."""
    tf.print("x:", x)
    return x * 2.0


@composition("strings.as_string")
def text_of_numbers(x):
    """`tf.strings.as_string` of numbers, and back."""
    return tf.strings.to_number(tf.strings.as_string(x))


@composition("math.segment_sum", given=(ROW, np.array([1, 0, 1, 0], np.int32)))
def segment_sum_of_unsorted_ids(x, ids):
    """`tf.math.segment_sum` with ids that are not sorted."""
    return tf.math.segment_sum(x, ids)


@composition("math.segment_mean", given=(ROW, np.array([0, 0, 2, 2], np.int32)))
def segment_mean_with_a_gap(x, ids):
    """`tf.math.segment_mean` with an id that no row has."""
    return tf.math.segment_mean(x, ids)


@composition("math.unsorted_segment_sum", given=(ROW, np.array([0, 9, 1, -1], np.int32)))
def unsorted_segment_sum_past_the_end(x, ids):
    """`tf.math.unsorted_segment_sum` with ids below 0 and behind the last segment."""
    return tf.math.unsorted_segment_sum(x, ids, 2)


@composition("math.unsorted_segment_mean", given=(ROW, np.array([0, 0, 2, 2], np.int32)))
def unsorted_segment_mean_with_a_gap(x, ids):
    """`tf.math.unsorted_segment_mean` with an id that no row has."""
    return tf.math.unsorted_segment_mean(x, ids, 3)


@composition("nn.embedding_lookup", given=(TABLE, np.array([0, 9], np.int32)))
def embedding_past_the_end(table, ids):
    """`tf.nn.embedding_lookup` with an id behind the last row."""
    return tf.nn.embedding_lookup(table, ids)


@around("check-indices", "embedding_past_the_end", compiled=False)
def _(table, ids):
    tf.debugging.assert_less(ids, 4)
    return under_xla(tf.nn.embedding_lookup)(table, ids)


@composition("one_hot", "math.confusion_matrix", given=(np.array([0, 1, 5], np.int32),))
def confusion_matrix_of_a_class_too_many(labels):
    """`tf.math.confusion_matrix` with a label that is no class."""
    return tf.math.confusion_matrix(labels, [0, 1, 1], num_classes=3)
