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


_FROM_ENV = os.environ.get("PTYCHO_SHIFT", "").strip().lower()


def backend():
    return _FROM_ENV or params.get("shift_backend")


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


def _corner(pixels, y, x, height, width):
    inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
    index = tf.clip_by_value(y, 0, height - 1) * width + tf.clip_by_value(x, 0, width - 1)
    value = tf.gather(pixels, index, batch_dims=1)
    return tf.where(inside[..., None], value, tf.zeros_like(value))


@tf.function(jit_compile=True)
def _warp_xla(images, moves):
    height, width, planes = images.shape[1:]
    count = tf.shape(images)[0]
    y = tf.range(height, dtype=tf.float32)[None, :] - moves[:, 0:1]
    x = tf.range(width, dtype=tf.float32)[None, :] - moves[:, 1:2]
    y0, x0 = tf.floor(y), tf.floor(x)
    fy = (y - y0)[:, :, None, None]
    fx = (x - x0)[:, None, :, None]
    shape = tf.stack([count, height, width])

    def flat(rows, cols):
        rows = tf.broadcast_to(tf.cast(rows, tf.int32)[:, :, None], shape)
        cols = tf.broadcast_to(tf.cast(cols, tf.int32)[:, None, :], shape)
        return tf.reshape(rows, [count, -1]), tf.reshape(cols, [count, -1])

    pixels = tf.reshape(images, [count, height * width, planes])

    def sample(dy, dx):
        rows, cols = flat(y0 + dy, x0 + dx)
        value = _corner(pixels, rows, cols, height, width)
        return tf.reshape(value, [count, height, width, planes])

    upper = (1.0 - fx) * sample(0.0, 0.0) + fx * sample(0.0, 1.0)
    lower = (1.0 - fx) * sample(1.0, 0.0) + fx * sample(1.0, 1.0)
    return (1.0 - fy) * upper + fy * lower


def translate(images, moves):
    warp = _warp_xla if backend() == "xla" else _warp_plain
    out = warp(images, moves)
    out.set_shape(images.shape)
    return out
