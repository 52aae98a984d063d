"""Patches are laid out (B*C N N 1), and every caller knows it."""

import tensorflow as tf

from ptycho import params


class ExtractPatchesPositionLayer(tf.keras.layers.Layer):
    """Cut C patches of each image at its positions."""

    def call(self, image, positions):
        n, c = params.cfg.N, params.cfg.gridsize**2
        corners = tf.reshape(tf.transpose(positions[:, 0], [0, 2, 1]), [-1, 2])
        steps = tf.cast(corners, tf.int32)[..., None] + tf.range(n)
        patches = tf.gather(tf.repeat(image, c, axis=0), steps[:, 0], axis=1, batch_dims=1)
        patches = tf.gather(patches, steps[:, 1], axis=2, batch_dims=1)
        return tf.ensure_shape(patches, [None, n, n, 1])
