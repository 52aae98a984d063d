"""Arrays of tensors, loops, and branches."""

import numpy as np
import tensorflow as tf

from benchmarks.atlas.compositions.base import FOUR, NINE, ROW, around, composition, under_xla


@composition("TensorArray")
def array_grows_from_nothing(x):
    """Write more elements than a TensorArray of size 0 has."""
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(4):
        array = array.write(i, x[i] * 2.0)
    return array.stack()


@around("give-size", "array_grows_from_nothing")
def _(x):
    array = tf.TensorArray(tf.float32, size=4)
    for i in tf.range(4):
        array = array.write(i, x[i] * 2.0)
    return array.stack()


@composition("TensorArray")
def array_grows_from_two(x):
    """Write more elements than a TensorArray of size 2 has, with `dynamic_size=True`."""
    array = tf.TensorArray(tf.float32, size=2, dynamic_size=True)
    for i in tf.range(4):
        array = array.write(i, x[i])
    return array.stack()


@around("give-size", "array_grows_from_two")
def _(x):
    array = tf.TensorArray(tf.float32, size=4)
    for i in tf.range(4):
        array = array.write(i, x[i])
    return array.stack()


@composition("TensorArray", given=(ROW, FOUR))
def array_write_past_the_end(x, at):
    """Write behind the last element of a TensorArray of fixed size."""
    array = tf.TensorArray(tf.float32, size=4).unstack(x)
    return array.write(at, 9.0).stack()


@composition("TensorArray", given=(ROW, NINE))
def array_read_past_the_end(x, at):
    """Read behind the last element of a TensorArray."""
    return tf.TensorArray(tf.float32, size=4).unstack(x).read(at)


@around("check-before", "array_read_past_the_end", compiled=False)
def _(x, at):
    tf.debugging.assert_less(at, 4)
    return under_xla(lambda v, i: tf.TensorArray(tf.float32, size=4).unstack(v).read(i))(x, at)


@composition("TensorArray", given=(ROW, np.array(-1, np.int32)))
def array_read_before_the_start(x, at):
    """Read element -1 of a TensorArray."""
    return tf.TensorArray(tf.float32, size=4).unstack(x).read(at)


@composition("TensorArray")
def array_read_unwritten(x):
    """Read an element of a TensorArray that was never written."""
    array = tf.TensorArray(tf.float32, size=4, element_shape=[]).write(0, x[0])
    return array.read(2)


@composition("TensorArray")
def array_stack_unwritten(x):
    """Stack a TensorArray with elements that were never written."""
    return tf.TensorArray(tf.float32, size=4, element_shape=[]).write(1, x[0]).stack()


@composition("TensorArray")
def array_write_twice(x):
    """Write the same element of a TensorArray twice."""
    array = tf.TensorArray(tf.float32, size=2, element_shape=[])
    return array.write(0, x[0]).write(1, x[1]).write(0, x[2]).stack()


@composition("TensorArray")
def array_read_twice(x):
    """Read an element of a TensorArray twice with `clear_after_read=True`."""
    array = tf.TensorArray(tf.float32, size=4, clear_after_read=True).unstack(x)
    return array.read(1) + array.read(1)


@composition("TensorArray", given=(ROW, np.array([0, 9], np.int32)))
def array_gather_past_the_end(x, at):
    """Gather elements of a TensorArray, one of them behind its end."""
    return tf.TensorArray(tf.float32, size=4).unstack(x).gather(at)


@composition("TensorArray", "boolean_mask")
def array_unstack_masked_rows(x):
    """Unstack the rows that a mask has selected, and ask the TensorArray for its size."""
    rows = tf.boolean_mask(x, x > 1.5)
    return tf.TensorArray(tf.float32, size=0, dynamic_size=True).unstack(rows).size()


@composition("TensorArray")
def array_elements_of_two_shapes(x):
    """Concatenate elements of different lengths with `infer_shape=False`."""
    array = tf.TensorArray(tf.float32, size=2, infer_shape=False, element_shape=[None])
    return array.write(0, x[:1]).write(1, x[:3]).concat()


@composition("TensorArray", "GradientTape")
def array_gradient(x):
    """The gradient through a TensorArray that is written in a loop."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        array = tf.TensorArray(tf.float32, size=4)
        for i in tf.range(4):
            array = array.write(i, x[i] ** 2)
        loss = tf.reduce_sum(array.stack())
    return tape.gradient(loss, x)


@composition("while_loop")
def loop_that_grows_a_tensor(x):
    """A loop that appends a row to a tensor in each turn."""
    rows = lambda i, r: (i + 1, tf.concat([r, [tf.cast(i, tf.float32)]], 0))  # noqa: E731
    shapes = [tf.TensorShape([]), tf.TensorShape([None])]
    return tf.while_loop(lambda i, r: i < 3, rows, [tf.constant(0), x], shape_invariants=shapes)[1]


@around("write-into-array", "loop_that_grows_a_tensor")
def _(x):
    array = tf.TensorArray(tf.float32, size=3)
    for i in tf.range(3):
        array = array.write(i, tf.cast(i, tf.float32))
    return tf.concat([x, array.stack()], 0)


@composition("while_loop")
def loop_that_shrinks_a_tensor(x):
    """A loop that drops the first row of a tensor in each turn."""
    shapes = [tf.TensorShape([None])]
    return tf.while_loop(lambda r: tf.reduce_sum(r) > 4.5, lambda r: (r[1:],), [x], shape_invariants=shapes)


@composition("while_loop", given=(np.array(np.nan, np.float32),))
def loop_while_nan_is_less(x):
    """A loop whose condition compares NaN, with a limit of turns."""
    return tf.while_loop(lambda i, v: i < 5 and v < 10.0, lambda i, v: (i + 1, v + 1.0), [tf.constant(0), x])


@composition("while_loop", given=(np.array(np.nan, np.float32),))
def loop_until_nan_is_at_least(x):
    """A loop that goes on while NaN is not at least 10, with a limit of turns."""
    go_on = lambda i, v: tf.logical_and(i < 5, tf.logical_not(v >= 10.0))  # noqa: E731
    return tf.while_loop(go_on, lambda i, v: (i + 1, v + 1.0), [tf.constant(0), x])


@composition("while_loop", "GradientTape", given=(np.array(1.5, np.float32), FOUR))
def loop_gradient_of_unknown_turns(x, n):
    """The gradient of a loop whose number of turns is an argument."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        made = tf.while_loop(lambda i, v: i < n, lambda i, v: (i + 1, v * v), [tf.constant(0), x])[1]
    return tape.gradient(made, x)


@around("maximum-iterations", "loop_gradient_of_unknown_turns")
def _(x, n):
    step = lambda i, v: (i + 1, v * v)  # noqa: E731
    with tf.GradientTape() as tape:
        tape.watch(x)
        made = tf.while_loop(lambda i, v: i < n, step, [tf.constant(0), x], maximum_iterations=8)[1]
    return tape.gradient(made, x)


@composition("range", given=(np.array(0.1, np.float32),))
def loop_over_a_range_of_fractions(step):
    """A loop over `tf.range(0, 1, step)` with a step that is an argument."""
    total = tf.constant(0.0)
    for value in tf.range(0.0, 1.0, step):
        total += value
    return total


@composition("cond", given=(ROW, np.array(False)), held=(ROW,))
def cond_with_a_check_in_one_branch(x, flag, v):
    """`tf.cond` with an assertion that must fail in the branch that is taken."""

    def checked():
        with tf.control_dependencies([tf.debugging.assert_less(x, 2.0)]):
            return v + x

    return tf.cond(flag, lambda: x, checked)


@composition("cond")
def cond_with_branches_of_two_lengths(x):
    """Branches that give different numbers of rows."""
    return tf.reduce_sum(tf.ones_like(tf.cond(x[0] > 0.0, lambda: x[:2], lambda: x[:3])))


@composition("switch_case", given=(ROW, NINE))
def switch_case_past_the_last_branch(x, which):
    """`tf.switch_case` with an index behind the last branch."""
    return tf.switch_case(which, [lambda: x, lambda: x * 2.0, lambda: x * 3.0])


@composition("switch_case", given=(ROW, np.array(-1, np.int32)))
def switch_case_before_the_first_branch(x, which):
    """`tf.switch_case` with the index -1."""
    return tf.switch_case(which, [lambda: x, lambda: x * 2.0, lambda: x * 3.0])


@composition("map_fn")
def map_fn_over_masked_rows(x):
    """`tf.map_fn` over the rows that a mask has selected."""
    return tf.map_fn(lambda v: v * 2.0, tf.boolean_mask(x, x > 1.5))


@composition("scan")
def scan_over_rows(x):
    """`tf.scan` that adds up rows."""
    return tf.scan(lambda total, v: total + v, x)


@composition("scan", "boolean_mask")
def scan_over_masked_rows(x):
    """`tf.scan` that adds up the rows that a mask has selected."""
    return tf.scan(lambda total, v: total + v, tf.boolean_mask(x, x > 1.5))


@composition("vectorized_map")
def vectorized_map_over_masked_rows(x):
    """`tf.vectorized_map` over the rows that a mask has selected."""
    return tf.vectorized_map(lambda v: v * 2.0, tf.boolean_mask(x, x > 1.5))


@composition("foldl", "boolean_mask")
def foldl_over_masked_rows(x):
    """`tf.foldl` over the rows that a mask has selected."""
    return tf.foldl(lambda total, v: total * v, tf.boolean_mask(x, x > 1.5))
