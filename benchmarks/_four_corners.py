"""The peer of the warp: a bilinear translation by gathering the four corners of every pixel.

As good as we could make it without giving up its plan (one gather a corner, gradient by TensorFlow): images are padded
by a border of zeros once, so that no corner needs a mask; weights are per image; indices are flat, and those of rows
and columns are kept apart until they are added.
"""

from __future__ import annotations

import tensorflow as tf


def translate(images: tf.Tensor, translations: tf.Tensor) -> tf.Tensor:
    """(K H W 1), (K 2) -> (K H W 1): `out[k, y, x] = images[k, y - dy, x - dx]`, 0 outside."""
    K, H, W, _ = images.shape
    pixels = tf.reshape(tf.pad(images[..., 0], [[0, 0], [1, 1], [1, 1]]), [-1])
    whole = tf.floor(-translations)
    fraction = (-translations - whole)[:, :, None, None]
    whole = tf.cast(whole, tf.int32)
    columns = tf.range(W)[None, :] + whole[:, 0:1] + 1
    rows = tf.range(H)[None, :] + whole[:, 1:2] + 1
    first = tf.range(K)[:, None] * ((H + 2) * (W + 2))

    def corner(down: int, right: int) -> tf.Tensor:
        row = first + tf.clip_by_value(rows + down, 0, H + 1) * (W + 2)
        column = tf.clip_by_value(columns + right, 0, W + 1)
        return tf.gather(pixels, row[:, :, None] + column[:, None, :])

    fx, fy = fraction[:, 0], fraction[:, 1]
    upper = (1 - fx) * corner(0, 0) + fx * corner(0, 1)
    lower = (1 - fx) * corner(1, 0) + fx * corner(1, 1)
    return ((1 - fy) * upper + fy * lower)[..., None]
