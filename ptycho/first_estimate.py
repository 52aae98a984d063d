"""The network's view of the data: not bare patterns, but the result of a few steps of phase retrieval."""

from __future__ import annotations

import math
from collections.abc import Callable

import keras
import numpy as np
import tensorflow as tf

_register = keras.saving.register_keras_serializable(package="ptycho")

#: amplitudes of the network's object lie within 0 and this
LARGEST_AMPLITUDE = 1.2


@_register
class FirstEstimateLayer(keras.layers.Layer):
    """[Measured amplitudes (B N N C), positions (B 1 2 C)] -> estimates of the object less 1, (B N N 2C).

    Real parts, then imaginary parts, of what each position sees. A group's patterns share one object, which is empty
    at first: the far field of the present estimate takes the measured modulus and keeps its phase, and what that
    changes in the exit waves is carried over to the object, from all patterns at once (the update of the
    ptychographical iterative engine, Rodenburg & Faulkner 2004, Appl. Phys. Lett. 85, 4795, with its regularisation:
    where the probe is dark the estimate stays empty; with momentum: Maiden et al. 2017, Optica 4, 736). Positions
    move the probe, by a phase ramp in Fourier space. It uses only the probe, the patterns and the positions: neither
    the true object nor a trained value. No gradient goes through it. So a data set needs it once: see
    `ptycho.preparation`.

    With `residuals`, (B N N 4C): after the estimates, the change that each pattern alone would make next, ten times as
    large. It shows where the patterns disagree with the estimate, and with each other.

    Args:
        probe: (N N) complex, or (2 N N) real and imaginary part.
        iterations: updates of each group, at least 1.
        regularisation: fraction of the largest intensity of the group's probes at which an update is halved.
        momentum: largest fraction of the last update that is repeated; it starts at 0.85 and rises by 0.005 each time.
        residuals: whether the result has the changes too.

    """

    def __init__(
        self,
        probe,
        iterations: int = 20,
        regularisation: float = 0.1,
        momentum: float = 0.98,
        residuals: bool = False,
        **kwargs,
    ) -> None:
        super().__init__(**kwargs)
        probe = np.asarray(probe)
        self.probe = (probe if np.iscomplexobj(probe) else probe[0] + 1j * probe[1]).astype(np.complex64)
        self.iterations = iterations
        self.regularisation = regularisation
        self.momentum = momentum
        self.residuals = residuals

    def call(self, inputs):
        """See the class."""
        amplitudes, positions = inputs
        ramps = self.ramps(positions)
        return self.result(self.estimate(amplitudes, ramps), amplitudes, ramps)

    def ramps(self, positions):
        """Factors (B C N N) that move an image from the group's centre to positions (B 1 2 C), in Fourier space."""
        return _ramps(_per_pattern(positions), self.probe.shape[0])

    def estimate(self, amplitudes, ramps):
        """The object of each group less 1, (B 1 N N) complex, from amplitudes (B N N C) and `ramps` (B C N N)."""
        changes = self._changes(amplitudes, ramps)
        estimate = ahead = tf.ones_like(ramps[:, :1])
        for number in range(self.iterations):
            update = ahead + tf.reduce_sum(changes(ahead), axis=1, keepdims=True)
            ahead = update + min(self.momentum, 0.85 + 0.005 * number) * (update - estimate)
            estimate = update
        return estimate - 1

    def result(self, estimate, amplitudes, ramps):
        """What the layer returns for objects (B 1 N N), as `estimate` makes them."""
        seen = views(estimate, ramps)
        if self.residuals:
            changes = self._changes(amplitudes, ramps)(estimate + 1)
            seen = tf.concat([seen, 10 * views(changes, ramps)], axis=-1)
        return tf.stop_gradient(seen)

    def _changes(self, amplitudes, ramps) -> Callable[[tf.Tensor], tf.Tensor]:
        """Makes the function from objects (B 1 N N) to the changes by each pattern (B C N N)."""
        side = self.probe.shape[0]
        measured = tf.signal.ifftshift(tf.transpose(amplitudes, [0, 3, 1, 2]), axes=(2, 3)) * side
        probes = tf.signal.ifft2d(np.fft.fft2(self.probe).astype(np.complex64) * ramps)  # (B C N N)
        light = tf.reduce_sum(tf.math.real(probes * tf.math.conj(probes)), axis=1, keepdims=True)
        light += self.regularisation * tf.reduce_max(light, axis=(2, 3), keepdims=True)
        to_object = tf.math.conj(probes) / tf.cast(light, probes.dtype)
        dark = 0.02 * side  # amplitudes are about 1: the phase of a far field far below 0.02 is that of rounding errors
        measured = tf.sqrt(tf.square(measured) + dark**2)

        def changes(objects):
            far = tf.signal.fft2d(probes * objects)
            power = tf.square(tf.math.real(far)) + tf.square(tf.math.imag(far))
            change = measured * tf.math.rsqrt(power + dark**2) - 1
            return to_object * tf.signal.ifft2d(far * tf.cast(change, far.dtype))

        return changes

    def get_config(self):
        """Constructor arguments; the probe as nested lists (2 N N), real and imaginary part."""
        return {
            **super().get_config(),
            "probe": np.stack([self.probe.real, self.probe.imag]).tolist(),
            "iterations": self.iterations,
            "regularisation": self.regularisation,
            "momentum": self.momentum,
            "residuals": self.residuals,
        }


@_register
class BareViewsLayer(keras.layers.Layer):
    """Measured amplitudes (B N N C) -> an empty object and the logarithms of the amplitudes, (B N N 3C).

    In the place of `FirstEstimateLayer`, it leaves the retrieval of phases to the network. With `transforms`, (B N N
    7C): after these, the inverse Fourier transforms of amplitudes and of intensities, real and imaginary part of each.
    They bring what a pattern says to where it lies in the object, which convolutions learn only slowly.
    """

    def __init__(self, transforms: bool = False, **kwargs) -> None:
        super().__init__(**kwargs)
        self.transforms = transforms

    def call(self, inputs):
        """See the class."""
        shown = [tf.zeros_like(inputs), tf.zeros_like(inputs), tf.math.log1p(inputs)]
        if self.transforms:
            patterns = tf.signal.ifftshift(tf.transpose(inputs, [0, 3, 1, 2]), axes=(2, 3))
            for each in (patterns, tf.square(patterns)):
                spread = tf.signal.fftshift(tf.signal.ifft2d(tf.cast(each, tf.complex64)), axes=(2, 3))
                spread = 4 * tf.transpose(spread, [0, 2, 3, 1])
                shown += [tf.math.real(spread), tf.math.imag(spread)]
        return tf.concat(shown, axis=-1)

    def get_config(self):
        """Constructor arguments."""
        return {**super().get_config(), "transforms": self.transforms}


def views(estimate: tf.Tensor, ramps: tf.Tensor) -> tf.Tensor:
    """The part of objects (B 1 N N), or (B C N N), at each position: real parts, then imaginary parts, (B N N 2C)."""
    seen = tf.signal.ifft2d(tf.signal.fft2d(estimate) * tf.math.conj(ramps))
    seen = tf.transpose(seen, [0, 2, 3, 1])
    return tf.concat([tf.math.real(seen), tf.math.imag(seen)], axis=-1)


def _per_pattern(positions: tf.Tensor) -> tf.Tensor:
    """(B 1 2 C) -> (B C 2)."""
    return tf.transpose(positions[:, 0], [0, 2, 1])


def _ramps(shifts: tf.Tensor, side: int) -> tf.Tensor:
    """Factors (B C N N) that move an image by (x, y) pixels in Fourier space; `shifts` is (B C 2)."""
    frequency = (np.fft.fftfreq(side) * 2 * math.pi).astype(np.float32)
    x, y = shifts[..., 0, None, None], shifts[..., 1, None, None]
    angle = x * frequency[None, :] + y * frequency[:, None]
    return tf.complex(tf.cos(angle), -tf.sin(angle))


@_register
class RefineLayer(keras.layers.Layer):
    """[estimates (B N N 2C) of `FirstEstimateLayer`, two maps (B N N C)] -> [amplitude, phase], (B N N C) each.

    The maps say how the object differs from the estimate; where they are 0 it is the estimate. Amplitudes stay within
    0 and 1.2; the second map moves the phase by up to pi.
    """

    def call(self, inputs):
        """See the class."""
        views, by_amplitude, by_phase = inputs
        real, imaginary = tf.split(views, 2, axis=-1)
        part = tf.sqrt(tf.square(real + 1) + tf.square(imaginary)) / LARGEST_AMPLITUDE
        part = tf.clip_by_value(part, 0.05, 0.95)
        amplitude = LARGEST_AMPLITUDE * tf.sigmoid(tf.math.log(part / (1 - part)) + by_amplitude)
        return [amplitude, tf.atan2(imaginary, real + 1) + math.pi * tf.tanh(by_phase)]
