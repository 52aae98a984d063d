"""The same translation in plain TensorFlow: two one-dimensional passes, no compiled function of its own."""

from __future__ import annotations

import tensorflow as tf


def translate_plain(images: tf.Tensor, translations: tf.Tensor) -> tf.Tensor:
    """Move each image by its own translation; agrees with `translate_xla` in value and sign.

    Args:
        images: (K H W c) real.
        translations: (K 2), (dx, dy) in pixels; positive moves the content right and down.

    Returns:
        (K H W c), zero where nothing was moved to.

    """
    translations = tf.cast(translations, images.dtype)
    moved = _shift_rows(images, translations[:, 1])
    moved = _shift_rows(tf.transpose(moved, [0, 2, 1, 3]), translations[:, 0])
    return tf.transpose(moved, [0, 2, 1, 3])


def _shift_rows(images: tf.Tensor, shift: tf.Tensor) -> tf.Tensor:
    """Move each of the images (K H W c) down by its `shift` (K), interpolating linearly between rows."""
    length = tf.shape(images)[1]
    padded = tf.pad(images, [[0, 0], [1, 1], [0, 0], [0, 0]])  # a row of zeros before and after
    whole = tf.floor(-shift)
    fraction = (-shift - whole)[:, None, None, None]
    first = tf.range(length)[None, :] + tf.cast(whole, tf.int32)[:, None] + 1
    near = tf.gather(padded, tf.clip_by_value(first, 0, length + 1), batch_dims=1)
    far = tf.gather(padded, tf.clip_by_value(first + 1, 0, length + 1), batch_dims=1)
    return (1 - fraction) * near + fraction * far
