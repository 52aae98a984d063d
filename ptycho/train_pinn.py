"""Training and evaluation of the physics-informed network."""

from __future__ import annotations

from dataclasses import dataclass

import keras
import numpy as np

from ptycho import model as model_module
from ptycho import params, preparation, probe, synchronisation, tf_helper
from ptycho.loader import PtychoDataContainer


@dataclass(frozen=True)
class Reconstruction:
    """What the network makes of a data set.

    Attributes:
        objects: (B P P 1) complex64, one per group ((B N N C) with `object_big` False).
        amplitudes: (B N N C) expected amplitudes, normalised.
        stitched: (M L) complex64, the whole object.
        coverage: (M L) sum of the weights at each pixel.
        origin: (x, y) of pixel [0, 0] of `stitched`, pixels of the object.

    """

    objects: np.ndarray
    amplitudes: np.ndarray
    stitched: np.ndarray
    coverage: np.ndarray
    origin: tuple[float, float]


def train(
    train_data: PtychoDataContainer, nepochs: int | None = None, verbose: int = 2
) -> tuple[keras.Model, keras.callbacks.History]:
    """Build the model of `params.cfg` and fit it. Returns the autoencoder and its history."""
    epochs = params.get("nepochs") if nepochs is None else nepochs
    steps = epochs * -(-len(train_data.X) // params.get("batch_size"))
    autoencoder, _ = model_module.create_compiled_model(steps=steps)
    return autoencoder, model_module.train(epochs, train_data, autoencoder, verbose=verbose)


def evaluate(
    autoencoder: keras.Model, test_data: PtychoDataContainer, batch_size: int | None = None, verbose: int = 0
) -> Reconstruction:
    """Predict all groups and stitch them; `batch_size` None is Keras' default, 32."""
    network, inputs = preparation.prepare(autoencoder, model_module.prepare_inputs(test_data), verbose)
    objects, amplitudes, _ = network.predict(inputs, batch_size=batch_size, verbose=verbose)
    stitched, coverage, origin = stitch(objects, test_data)
    return Reconstruction(objects, amplitudes, stitched, coverage, origin)


def central_side(N: int) -> int:
    """Side of the central square of a group's object, or of a patch, that stitching uses: 5/8 N, an even number."""
    return N * 5 // 16 * 2


def stitch(objects: np.ndarray, data: PtychoDataContainer) -> tuple[np.ndarray, np.ndarray, tuple[float, float]]:
    """The whole object from those of the groups: the mean, weighted by the probe's intensity.

    Of each object the central square is used (`central_side`), and it takes the constant phase by which it agrees with
    those that overlap it (`ptycho.synchronisation`). `coverage` is the sum of the weights, 1 at the centre of each.
    """
    offsets = data.global_offsets
    if objects.shape[-1] > 1:  # patches: each has its own position
        offsets = tf_helper.flatten_offsets(data.coords + data.global_offsets).numpy()[:, None, :, None]
        objects = tf_helper._channel_to_flat(objects)
    central = central_side(data.X.shape[1])
    light = np.abs(probe.get_probe())[None, ..., None] ** 2
    weights = tf_helper.crop_center(light / light.max(), central)[0, ..., 0]
    objects = np.asarray(tf_helper.crop_center(objects, central))
    if len(objects) == len(offsets):  # else it is the stitching that says so
        factors = synchronisation.relative_phases(objects[..., 0], offsets[:, 0, :, 0], weights)
        objects = objects * factors[:, None, None, None]
    stitched, coverage, origin = tf_helper.reassemble_position(objects, offsets, weights=weights)
    return stitched.numpy(), coverage.numpy(), origin


def train_eval(
    train_data: PtychoDataContainer,
    test_data: PtychoDataContainer,
    nepochs: int | None = None,
    verbose: int = 2,
) -> tuple[keras.Model, keras.callbacks.History, Reconstruction]:
    """`train`, then `evaluate` on other data."""
    autoencoder, history = train(train_data, nepochs, verbose=verbose)
    return autoencoder, history, evaluate(autoencoder, test_data)
