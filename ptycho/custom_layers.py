"""Keras layers of the physics: from amplitude and phase of patches to photon counts."""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf

from ptycho import params, tf_helper

_register = keras.saving.register_keras_serializable(package="ptycho")


@_register
class CombineComplexLayer(keras.layers.Layer):
    """[amplitude (B N N C), phase (B N N C) in radians] -> complex (B N N C)."""

    def call(self, inputs):
        """See the class."""
        amplitude, phase = inputs
        return tf.complex(amplitude * tf.cos(phase), amplitude * tf.sin(phase))


@_register
class ReassemblePatchesLayer(keras.layers.Layer):
    """[patches (B N N C) complex, positions (B 1 2 C)] -> one object per group (B P P 1).

    `padded_size` is P; None takes `params.get_padded_size()` when the layer is made.
    """

    def __init__(self, padded_size: int | None = None, **kwargs) -> None:
        super().__init__(**kwargs)
        self.padded_size = params.get_padded_size() if padded_size is None else padded_size
        self.translation = tf_helper.Translation()

    def build(self, input_shape):
        """Nothing to make; without it Keras warns when a saved model is loaded."""
        self.translation.built = True

    def call(self, inputs):
        """See the class."""
        patches, positions = inputs
        fn_reassemble_real = tf_helper.mk_reassemble_position_batched_real(
            positions, padded_size=self.padded_size, translation=self.translation
        )
        return tf_helper.reassemble_patches(patches, fn_reassemble_real=fn_reassemble_real)

    def get_config(self):
        """Constructor arguments."""
        return {**super().get_config(), "padded_size": self.padded_size}


@_register
class ExtractPatchesPositionLayer(keras.layers.Layer):
    """[objects (B P P 1), positions (B 1 2 C)] -> patches (B N N C): the part of the object at each position."""

    def __init__(self, N: int, gridsize: int, **kwargs) -> None:
        super().__init__(**kwargs)
        self.N = N
        self.gridsize = gridsize
        self.translation = tf_helper.Translation()

    def build(self, input_shape):
        """Nothing to make; without it Keras warns when a saved model is loaded."""
        self.translation.built = True

    def call(self, inputs):
        """See the class."""
        objects, positions = inputs
        channels = self.gridsize**2
        repeated = tf.repeat(objects, channels, axis=-1)
        objects_flat = tf_helper._channel_to_flat(repeated)
        offsets_flat = tf_helper.flatten_offsets(positions)
        moved = self.translation([objects_flat, -offsets_flat])
        return tf_helper._flat_to_channel(tf_helper.crop_center(moved, self.N), channels)

    def get_config(self):
        """Constructor arguments."""
        return {**super().get_config(), "N": self.N, "gridsize": self.gridsize}


@_register
class ProbeIllumination(keras.layers.Layer):
    """Object patches (B N N C) times the probe (N N): exit waves (B N N C). The probe is not trained."""

    def __init__(self, probe, **kwargs) -> None:
        super().__init__(**kwargs)
        probe = np.asarray(probe)
        self.probe = probe.astype(np.complex64) if np.iscomplexobj(probe) else _unpack(probe)

    def call(self, inputs):
        """See the class."""
        return inputs * tf.constant(self.probe)[None, :, :, None]

    def get_config(self):
        """Constructor arguments; the probe as nested lists (2 N N), real and imaginary part."""
        return {**super().get_config(), "probe": np.stack([self.probe.real, self.probe.imag]).tolist()}


def _unpack(parts: np.ndarray) -> np.ndarray:
    """(2 N N) real -> (N N) complex64."""
    if parts.ndim != 3 or parts.shape[0] != 2:
        raise ValueError(f"a probe is (N, N) complex, or (2, N, N) real and imaginary part, not {parts.shape}")
    return (parts[0] + 1j * parts[1]).astype(np.complex64)


@_register
class PadAndDiffractLayer(keras.layers.Layer):
    """Exit waves (B N N C) complex, padded to `size` if smaller -> far-field amplitudes (B size size C)."""

    def __init__(self, size: int, **kwargs) -> None:
        super().__init__(**kwargs)
        self.size = size

    def call(self, inputs):
        """See the class."""
        if inputs.shape[1] < self.size:
            inputs = tf_helper.pad_patches(inputs, self.size)
        return tf_helper.diffract(inputs)

    def get_config(self):
        """Constructor arguments."""
        return {**super().get_config(), "size": self.size}


@_register
class PhotonCountLayer(keras.layers.Layer):
    """Normalised amplitudes (B N N C) -> expected photon counts (B N N C): `(scale * amplitude)**2`."""

    def __init__(self, scale: float, **kwargs) -> None:
        super().__init__(**kwargs)
        self.scale = float(scale)

    def call(self, inputs):
        """See the class."""
        return tf.square(self.scale * inputs)

    def get_config(self):
        """Constructor arguments."""
        return {**super().get_config(), "scale": self.scale}
