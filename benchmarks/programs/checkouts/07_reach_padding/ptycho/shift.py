"""Sub-pixel translation of stacks of images.

``translate(images, moves)`` moves image i by moves[i] = (rows, columns); what
enters at the border is zero. There are two implementations: "plain" uses
TensorFlow's image transform, "xla" is written with gathers and compiled. The
environment variable PTYCHO_SHIFT takes precedence over the setting
``shift_backend``.
"""

import os

import tensorflow as tf

from . import params


def backend():
    return os.environ.get("PTYCHO_SHIFT", "").strip().lower() or params.get("shift_backend")


def _warp_plain(images, moves):
    one = tf.ones_like(moves[:, 0])
    zero = tf.zeros_like(one)
    rows = tf.stack([one, zero, -moves[:, 1], zero, one, -moves[:, 0], zero, zero], axis=1)
    return tf.raw_ops.ImageProjectiveTransformV3(
        images=images,
        transforms=rows,
        output_shape=tf.shape(images)[1:3],
        fill_value=0.0,
        interpolation="BILINEAR",
        fill_mode="CONSTANT",
    )


def _warp_stack(images, moves):
    height, width, planes = images.shape[1:]
    count = tf.shape(images)[0]
    y = tf.range(height, dtype=tf.float32)[None, :] - moves[:, 0:1]
    x = tf.range(width, dtype=tf.float32)[None, :] - moves[:, 1:2]
    y0, x0 = tf.floor(y), tf.floor(x)
    fy = (y - y0)[:, :, None, None]
    fx = (x - x0)[:, None, :, None]
    shape = tf.stack([count, height, width])
    reach = tf.cast(tf.math.ceil(tf.reduce_max(tf.abs(moves))), tf.int32) + 1
    wide = tf.pad(images, [[0, 0], [reach, reach], [reach, reach], [0, 0]])
    stride = width + 2 * reach

    def flat(rows, cols):
        rows = tf.broadcast_to(tf.cast(rows, tf.int32)[:, :, None], shape)
        cols = tf.broadcast_to(tf.cast(cols, tf.int32)[:, None, :], shape)
        return tf.reshape(rows, [count, -1]), tf.reshape(cols, [count, -1])

    pixels = tf.reshape(wide, [count, -1, planes])

    def sample(dy, dx):
        rows, cols = flat(y0 + dy, x0 + dx)
        value = tf.gather(pixels, (rows + reach) * stride + cols + reach, batch_dims=1)
        return tf.reshape(value, [count, height, width, planes])

    upper = (1.0 - fx) * sample(0.0, 0.0) + fx * sample(0.0, 1.0)
    lower = (1.0 - fx) * sample(1.0, 0.0) + fx * sample(1.0, 1.0)
    return (1.0 - fy) * upper + fy * lower


@tf.function(jit_compile=True)
def _warp_xla(images, moves):
    """Image by image, each with the padding that its own move needs."""
    return tf.map_fn(
        lambda pair: _warp_stack(pair[0][None], pair[1][None])[0],
        (images, moves),
        fn_output_signature=tf.TensorSpec(images.shape[1:], tf.float32),
    )


def translate(images, moves):
    warp = _warp_xla if backend() == "xla" else _warp_plain
    out = warp(images, moves)
    out.set_shape(images.shape)
    return out
