"""Merging overlapping views on a canvas, and cutting views out of it."""

import tensorflow as tf

from . import layouts, params
from .shift import translate


def pad_to_canvas(flat):
    """(n, N, N, K) -> (n, M, M, K), the view in the middle."""
    m = params.get("margin")
    return tf.pad(flat, [[0, 0], [m, m], [m, m], [0, 0]])


def _sum_members(moved, members):
    side, planes = moved.shape[1], moved.shape[3]
    return tf.reduce_sum(tf.reshape(moved, [-1, members, side, side, planes]), axis=1)


def _merge_direct(padded, moves, members):
    return _sum_members(translate(padded, moves), members)


def _merge_in_chunks(padded, moves, members, limit):
    """As _merge_direct, with at most ``limit`` images at a time."""
    side, planes = padded.shape[1], padded.shape[3]
    size = (limit // members) * members
    used = tf.shape(padded)[0] // size * size
    padded, moves = padded[:used], moves[:used]
    stacks = tf.map_fn(
        lambda pair: _merge_direct(pair[0], pair[1], members),
        (tf.reshape(padded, [-1, size, side, side, planes]), tf.reshape(moves, [-1, size, 2])),
        fn_output_signature=tf.TensorSpec([size // members, side, side, planes], tf.float32),
    )
    return tf.reshape(stacks, [-1, side, side, planes])


def merge_views(views, offsets, members, limit):
    """Weighted mean of the views of each group on its canvas.

    views (B, C, N, N, 2), offsets (B, 2, C) -> (B, M, M, 2)
    """
    moves = layouts.offsets_to_flat(offsets)
    padded = pad_to_canvas(layouts.images_to_flat(views))
    if limit is None:
        total = _merge_direct(padded, moves, members)
    else:
        total = tf.cond(
            tf.shape(padded)[0] > limit,
            lambda: _merge_in_chunks(padded, moves, members, limit),
            lambda: _merge_direct(padded, moves, members),
        )
    cover = pad_to_canvas(tf.ones_like(layouts.images_to_flat(views)[..., :1]))
    cover = _merge_direct(cover, moves, members)
    return total / tf.maximum(cover, 0.05)


def cut_views(canvas, offsets, members, size):
    """(B, M, M, K), offsets (B, 2, C) -> flat views (B*C, N, N, K)."""
    moves = layouts.offsets_to_flat(offsets)
    copies = tf.repeat(canvas, members, axis=0)
    moved = translate(copies, -moves)
    m = (canvas.shape[1] - size) // 2
    return moved[:, m:m + size, m:m + size, :]
