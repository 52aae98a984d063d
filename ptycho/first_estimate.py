"""The network's view of the data: not bare patterns, but what one step of phase retrieval makes of them."""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf


@keras.saving.register_keras_serializable(package="ptycho")
class FirstEstimateLayer(keras.layers.Layer):
    """Measured amplitudes (B N N C) -> estimates of the object less 1, (B N N 2C): real parts, then imaginary parts.

    Every pattern by itself, starting from an empty object: the far field of the present estimate takes the measured
    modulus and keeps its phase, and what that changes in the exit wave is carried over to the object (the update of
    the ptychographical iterative engine, Rodenburg & Faulkner 2004, Appl. Phys. Lett. 85, 4795, with its
    regularisation: where the probe is dark the estimate stays empty). The network then sees its object in the
    place where it has to put it. No position, no truth and no trained value enters; no gradient leaves.

    Args:
        probe: (N N) complex, or (2 N N) real and imaginary part.
        iterations: updates of each pattern, at least 1.
        regularisation: fraction of the largest probe intensity at which an update is halved.

    """

    def __init__(self, probe, iterations: int = 1, regularisation: float = 0.05, **kwargs) -> None:
        super().__init__(**kwargs)
        probe = np.asarray(probe)
        self.probe = (probe if np.iscomplexobj(probe) else probe[0] + 1j * probe[1]).astype(np.complex64)
        self.iterations = iterations
        self.regularisation = regularisation

    def call(self, inputs):
        """See the class."""
        side = self.probe.shape[0]
        intensity = np.abs(self.probe) ** 2
        to_object = self.probe.conj() / (intensity + self.regularisation * intensity.max())
        measured = tf.signal.ifftshift(tf.transpose(inputs, [0, 3, 1, 2]), axes=(2, 3)) * side
        estimate = tf.ones_like(tf.complex(measured, measured))
        for _ in range(self.iterations):
            far = tf.signal.fft2d(self.probe * estimate)
            change = measured / (tf.abs(far) + 1e-4) - 1
            estimate += to_object.astype(np.complex64) * tf.signal.ifft2d(far * tf.cast(change, far.dtype))
        views = tf.transpose(estimate - 1, [0, 2, 3, 1])
        return tf.stop_gradient(tf.concat([tf.math.real(views), tf.math.imag(views)], axis=-1))

    def get_config(self):
        """Constructor arguments; the probe as nested lists (2 N N), real and imaginary part."""
        return {
            **super().get_config(),
            "probe": np.stack([self.probe.real, self.probe.imag]).tolist(),
            "iterations": self.iterations,
            "regularisation": self.regularisation,
        }
