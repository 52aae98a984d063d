"""Reports 001, 002 and 004 as a compiled step: the reassembly that sums all groups into one canvas."""

import tensorflow as tf

from ptycho import tf_helper


def _reassemble_position_batched(imgs, offsets_xy, padded_size, translation):
    channels = imgs.shape[-1]
    offsets_flat = tf_helper.flatten_offsets(offsets_xy)
    imgs_flat = tf_helper._channel_to_flat(imgs)
    count = tf.shape(imgs_flat)[0]

    def original_approach():
        padded = tf_helper.pad_patches(imgs_flat, padded_size)
        moved = translation([padded, offsets_flat])
        return tf.reduce_sum(tf_helper._flat_to_channel(moved, channels), axis=-1, keepdims=True)

    @tf.recompute_grad
    def batched_approach(imgs_flat, offsets_flat):
        def add_chunk(start, canvas):
            stop = tf.minimum(start + 64, count)
            padded = tf_helper.pad_patches(imgs_flat[start:stop], padded_size)
            moved = translation([padded, offsets_flat[start:stop]])
            return stop, canvas + tf.reduce_sum(moved, axis=0, keepdims=True)

        canvas = tf.zeros([1, padded_size, padded_size, 1], imgs.dtype)
        chunks = (count + 64 - 1) // 64
        _, canvas = tf.while_loop(
            lambda start, _: start < count, add_chunk, [tf.constant(0), canvas], maximum_iterations=chunks
        )
        return canvas

    return tf.cond(count < 64, original_approach, lambda: batched_approach(imgs_flat, offsets_flat))


@tf.function(jit_compile=True)
def step(imgs, offsets):
    obj = _reassemble_position_batched(imgs, offsets, 78, tf_helper.Translation())
    return tf.signal.fft2d(tf.cast(obj[..., 0], tf.complex64))
