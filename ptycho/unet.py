"""The network proper: from views of the data to what the object is beyond them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import keras


class Layers:
    """Makes layers; one of a name that was asked for before, or is among `made`, is used again, with its weights."""

    def __init__(self, made: Mapping[str, keras.layers.Layer] | None = None) -> None:
        self._made = dict(made or {})

    def __call__(self, kind: Callable[..., keras.layers.Layer], *args: Any, name: str, **options: Any):
        """The layer of that name; `kind(*args, name=name, **options)` if there is none yet."""
        if name not in self._made:
            self._made[name] = kind(*args, name=name, **options)
        return self._made[name]


def unet(inputs: keras.KerasTensor, channels: int, filters_scale: float = 1.0, layer: Layers | None = None) -> tuple:
    """A small U-Net with two heads.

    Args:
        inputs: (B N N c) real images.
        channels: C.
        filters_scale: multiplies the filters, 32, 64, 128 and 256 by level.
        layer: where layers come from; those of an earlier call make a network that shares its weights.

    Returns:
        Two maps (B N N C), for amplitude and phase; 0 everywhere before training.

    """
    layer = layer or Layers()
    convolution = keras.layers.Conv2D
    filters = [max(1, round(filters_scale * 32 * 2**level)) for level in range(4)]
    skips = []
    x = inputs
    for level, count in enumerate(filters[:-1]):
        x = _block(x, count, f"encode_{level}", layer)
        skips.append(x)
        # not pooling: on CPU, XLA folds its counts for tens of seconds whenever it compiles
        x = layer(convolution, count, 3, strides=2, padding="same", activation="relu", name=f"down_{level}")(x)
    x = _block(x, filters[-1], "bottom", layer)
    for level in reversed(range(len(skips))):
        x = layer(keras.layers.UpSampling2D, interpolation="nearest", name=f"up_{level}")(x)
        x = layer(keras.layers.Concatenate, name=f"skip_{level}")([x, skips[level]])
        x = _block(x, filters[level], f"decode_{level}", layer)
    return tuple(
        layer(convolution, channels, 3, padding="same", kernel_initializer="zeros", name=f"{part}_head")(x)
        for part in ("amplitude", "phase")
    )


def _block(x: keras.KerasTensor, filters: int, name: str, layer: Layers) -> keras.KerasTensor:
    for part in ("a", "b"):
        x = layer(keras.layers.Conv2D, filters, 3, padding="same", activation="relu", name=f"{name}{part}")(x)
    return x
