"""The network proper: from views of the data to what the object is beyond them."""

from __future__ import annotations

import keras


def unet(inputs: keras.KerasTensor, channels: int, filters_scale: float = 1.0) -> tuple:
    """A small U-Net with two heads.

    Args:
        inputs: (B N N c) real images.
        channels: C.
        filters_scale: multiplies the filters, 32, 64, 128 and 256 by level.

    Returns:
        Two maps (B N N C), for amplitude and phase; 0 everywhere before training.

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
    return tuple(
        keras.layers.Conv2D(channels, 3, padding="same", kernel_initializer="zeros", name=f"{part}_head")(x)
        for part in ("amplitude", "phase")
    )


def _block(x: keras.KerasTensor, filters: int, name: str) -> keras.KerasTensor:
    for part in ("a", "b"):
        x = keras.layers.Conv2D(filters, 3, padding="same", activation="relu", name=f"{name}{part}")(x)
    return x
