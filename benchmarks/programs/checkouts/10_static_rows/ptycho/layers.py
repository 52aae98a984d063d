"""Keras layers around the physics."""

import keras
import numpy as np
import tensorflow as tf

from . import layouts, params, patches


@keras.saving.register_keras_serializable(package="ptycho")
class FramesLast(keras.layers.Layer):
    """(B, C, N, N) -> (B, N, N, C)"""

    def call(self, frames):
        return tf.transpose(frames, [0, 2, 3, 1])


@keras.saving.register_keras_serializable(package="ptycho")
class PolarViews(keras.layers.Layer):
    """Amplitude and phase maps (B, N, N, C) -> complex views (B, C, N, N, 2)."""

    def __init__(self, top=1.2, **kwargs):
        super().__init__(**kwargs)
        self.top = top

    def call(self, amplitude, phase):
        amplitude = self.top * tf.sigmoid(amplitude + 1.5)
        phase = np.pi * tf.tanh(phase)
        planes = layouts.to_planes(amplitude, phase)
        return tf.transpose(planes, [0, 3, 1, 2, 4])

    def get_config(self):
        return {**super().get_config(), "top": self.top}


@keras.saving.register_keras_serializable(package="ptycho")
class MergeViews(keras.layers.Layer):
    """One canvas (B, M, M, 2) from the views of each group."""

    def __init__(self, members, limit, **kwargs):
        super().__init__(**kwargs)
        self.members = members
        self.limit = limit

    def call(self, views, offsets):
        return patches.merge_views(views, offsets, self.members, self.limit)

    def get_config(self):
        return {**super().get_config(), "members": self.members, "limit": self.limit}


@keras.saving.register_keras_serializable(package="ptycho")
class CutViews(keras.layers.Layer):
    """Flat views (B*C, N, N, 2) out of the canvases."""

    def __init__(self, members, size, **kwargs):
        super().__init__(**kwargs)
        self.members = members
        self.size = size

    def call(self, canvas, offsets):
        return patches.cut_views(canvas, offsets, self.members, self.size)

    def get_config(self):
        return {**super().get_config(), "members": self.members, "size": self.size}


@keras.saving.register_keras_serializable(package="ptycho")
class FlatViews(keras.layers.Layer):
    """Views to the flat layout, for models that do not merge."""

    def call(self, views):
        return layouts.images_to_flat(views)


@keras.saving.register_keras_serializable(package="ptycho")
class FarField(keras.layers.Layer):
    """Amplitudes on the detector (B, C, N, N) of flat views under the probe."""

    def __init__(self, members, probe, **kwargs):
        super().__init__(**kwargs)
        self.members = members
        self.rows = params.get("batch_size")
        self.probe = np.asarray(probe, "complex64")

    def build(self, _):
        self.log_gain = self.add_weight(name="log_gain", shape=(), initializer="zeros")

    def call(self, flat):
        size = self.probe.shape[0]
        exit_wave = layouts.from_planes(flat) * self.probe
        far = tf.signal.fftshift(tf.signal.fft2d(exit_wave), axes=(1, 2)) / size
        power = tf.math.real(far) ** 2 + tf.math.imag(far) ** 2
        amplitude = tf.sqrt(power + 1e-6) * tf.exp(self.log_gain)
        return tf.reshape(amplitude, [self.rows, self.members, size, size])


def merging_enabled():
    return bool(params.get("merge_views")) and params.get("grid") > 1
