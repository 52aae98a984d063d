"""Exercises for a lab course on tensors: students predict which lines run, the sheet then shows what happened."""
import contextlib
import traceback

import numpy as np
import tensorflow as tf

SHEET = []


def exercise(question, expect=None):
    def keep(fn):
        SHEET.append((question, expect, fn))
        return fn
    return keep


@exercise("sum of a row (1, 4) and a column (3, 1)")
def outer_sum():
    return tf.ones([1, 4]) + tf.ones([3, 1])


@exercise("sum of (3, 4) and (3, 5)", tf.errors.InvalidArgumentError)
def uneven_sum():
    return tf.ones([3, 4]) + tf.ones([3, 5])


@exercise("product of (2, 3) and (4, 2)", tf.errors.InvalidArgumentError)
def product():
    return tf.ones([2, 3]) @ tf.ones([4, 2])


@exercise("reshape of 12 values to (5, -1)", tf.errors.InvalidArgumentError)
def fold():
    return tf.reshape(tf.range(12), [5, -1])


@exercise("int plus float tensors", tf.errors.InvalidArgumentError)
def mixed_types():
    return tf.constant([1, 2]) + tf.constant([0.5, 0.5])


@exercise("square root of minus one")
def imaginary():
    return tf.sqrt(tf.constant([-1.0, 4.0]))


@exercise("fifth element of four", tf.errors.InvalidArgumentError)
def beyond():
    return tf.gather(tf.range(4), 4)


@exercise("a tensor as condition inside a graph")
def condition():
    @tf.function
    def sign(x):
        if x > 0:
            return 1
        return -1
    return sign(tf.constant(-3.0))


@exercise("a layer for 8 features given 7", ValueError)
def layer():
    dense = tf.keras.layers.Dense(2)
    dense.build((None, 8))
    return dense(tf.ones([1, 7]))


@exercise("one divided by zero, the safe way")
def division():
    return tf.math.divide_no_nan(tf.constant([1.0]), tf.constant([0.0]))


@contextlib.contextmanager
def eagerly():
    tf.config.run_functions_eagerly(True)
    try:
        yield
    finally:
        tf.config.run_functions_eagerly(False)


def first_line(error):
    return str(error).strip().splitlines()[0][:110]


def attempt(question, expect, fn):
    try:
        value = fn()
    except Exception as error:
        traceback.print_exc(limit=-1)
        print(f"[error]  {question}: {type(error).__name__}: {first_line(error)}")
        return expect is not None and isinstance(error, expect)
    print(f"[result] {question}: {np.asarray(value).tolist()}")
    return expect is None


def main():
    graded = [attempt(*row) for row in SHEET]
    with eagerly():
        again = attempt("the condition again, without a graph", None, condition)
    print(f"{sum(graded)} of {len(graded)} as the sheet says; eager run as expected: {again}")
    assert all(graded) and again


if __name__ == "__main__":
    main()
