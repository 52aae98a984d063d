"""The network proper: from images of the data to amplitude and phase of the object."""

from __future__ import annotations

import math

import keras

#: an untrained network says: amplitude 1.2 * sigmoid(1.6) = 1, phase 0, which is no object at all
_EMPTY = keras.initializers.Constant(1.6)


def unet(inputs: keras.KerasTensor, channels: int, filters_scale: float = 1.0) -> tuple:
    """A small U-Net with two heads.

    Args:
        inputs: (B N N c) real images.
        channels: C.
        filters_scale: multiplies the filters, 32, 64, 128 and 256 by level.

    Returns:
        `(amplitude (B N N C) within 0 to 1.2, phase (B N N C) within -pi to pi)`.

    """
    filters = [max(1, round(filters_scale * 32 * 2**level)) for level in range(4)]
    skips = []
    x = inputs
    for level, count in enumerate(filters[:-1]):
        x = _block(x, count, f"encode_{level}")
        skips.append(x)
        # not pooling: on CPU, XLA folds its counts for tens of seconds whenever it compiles
        x = keras.layers.Conv2D(count, 3, strides=2, padding="same", activation="relu", name=f"down_{level}")(x)
    x = _block(x, filters[-1], "bottom")
    for level in reversed(range(len(skips))):
        x = keras.layers.UpSampling2D(interpolation="nearest", name=f"up_{level}")(x)
        x = keras.layers.Concatenate(name=f"skip_{level}")([x, skips[level]])
        x = _block(x, filters[level], f"decode_{level}")
    amplitude = keras.layers.Conv2D(
        channels, 3, padding="same", activation="sigmoid", name="amplitude_head", bias_initializer=_EMPTY
    )(x)
    amplitude = keras.layers.Rescaling(1.2, name="amplitude")(amplitude)
    phase = keras.layers.Conv2D(channels, 3, padding="same", activation="tanh", name="phase_head")(x)
    phase = keras.layers.Rescaling(math.pi, name="phase")(phase)
    return amplitude, phase


def _block(x: keras.KerasTensor, filters: int, name: str) -> keras.KerasTensor:
    for part in ("a", "b"):
        x = keras.layers.Conv2D(filters, 3, padding="same", activation="relu", name=f"{name}{part}")(x)
    return x
