"""Small geometry helpers; the examples in the docstrings also show what is refused.

Run as a script, the examples are tried.
"""
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import doctest
import sys

import tensorflow as tf


def rotate(points, angle):
    """Rotate points of shape (n, 2).

    >>> rotate(tf.constant([[1.0, 0.0]]), 3.14159265 / 2).numpy().round(3).tolist()
    [[-0.0, 1.0]]
    >>> rotate(tf.ones([4, 3]), 0.1)
    Traceback (most recent call last):
        ...
    tensorflow.python.framework.errors_impl.InvalidArgumentError: ...
    """
    c, s = tf.cos(angle), tf.sin(angle)
    return tf.matmul(points, tf.reshape(tf.stack([c, s, -s, c]), [2, 2]))


def polygon_area(vertices):
    """Shoelace formula.

    >>> float(polygon_area(tf.constant([[0., 0.], [2., 0.], [2., 1.], [0., 1.]])))
    2.0
    >>> polygon_area(tf.constant([[0., 0.], [1., 1.]]))
    Traceback (most recent call last):
        ...
    ValueError: a polygon needs three vertices, got 2
    """
    if vertices.shape[0] < 3:
        raise ValueError(f"a polygon needs three vertices, got {vertices.shape[0]}")
    x, y = vertices[:, 0], vertices[:, 1]
    return 0.5 * tf.abs(tf.reduce_sum(x * tf.roll(y, -1, 0) - y * tf.roll(x, -1, 0)))


def inside_only(points, limit):
    """Points within the limit; compiled code may not fit them into three columns.

    >>> inside_only(tf.constant([[0.5, 0.5], [3., 0.]]), 1.0).numpy().tolist()
    [[0.5, 0.5]]
    >>> f = tf.function(lambda p: tf.ensure_shape(inside_only(p, 1.0), [2, 3]), jit_compile=True)
    >>> f(tf.constant([[0.5, 0.5], [3., 0.]]))
    Traceback (most recent call last):
        ...
    ValueError: ...
    """
    return tf.boolean_mask(points, tf.norm(points, axis=1) < limit)


if __name__ == "__main__":
    outcome = doctest.testmod(verbose=True, optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
    print(outcome, file=sys.stderr)
    sys.exit(outcome.failed)
