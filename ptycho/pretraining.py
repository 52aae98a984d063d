"""Pretraining: the network learns from simulated objects, which are known, before it sees a measured pattern.

Only the network is run, between the first estimate and the patches, on the part of a patch that stitching uses: a step
takes a fraction of the time of a step that diffracts.
"""

from __future__ import annotations

from collections.abc import Callable

import keras
import numpy as np
import tensorflow as tf

from ptycho import model, params, preparation, probe, tf_helper, train_pinn
from ptycho.loader import PtychoDataContainer
from ptycho.unet import Layers

_ROUNDING = 0.01  # differences far below this count by their square


def pretrain(
    autoencoder: keras.Model, data: PtychoDataContainer, patches: np.ndarray, nepochs: int, verbose: int | str = 2
) -> keras.callbacks.History:
    """Fit the network of `autoencoder`, whose layers change in place, to true patches.

    Args:
        autoencoder: of `ptycho.model`, or loaded from a file.
        data: groups of simulated scans.
        patches: (B N N C) complex, what each pattern saw of its object (`train_baseline.true_patches`).
        nepochs: passes over the data, at `params.cfg["batch_size"]` and with the schedule of `model.learning_rate`.
        verbose: as Keras has it.

    """
    estimate = autoencoder.get_layer("first_estimate")
    views = _centre(preparation.make_views(estimate, data.X, data.coords, verbose))
    given = keras.Input(views.shape[1:], name="first_estimate")
    channels = patches.shape[-1]
    amplitude, phase = model.network(given, channels, Layers({layer.name: layer for layer in autoencoder.layers}))
    parts = [amplitude * keras.ops.cos(phase), amplitude * keras.ops.sin(phase)]
    network = keras.Model(given, keras.ops.concatenate(parts, axis=-1), name="pretrained")
    steps = nepochs * -(-len(data) // params.get("batch_size"))
    light = _centre(np.abs(probe.get_probe())[None, ..., None] ** 2)
    network.compile(
        optimizer=keras.optimizers.Adam(model.learning_rate(steps)),
        loss=aligned_error(light),
        jit_compile=model.resolve_jit_compile(),
    )
    truth = _centre(np.concatenate([patches.real, patches.imag], axis=-1))
    return network.fit(views, truth, batch_size=params.get("batch_size"), epochs=nepochs, verbose=verbose)


def aligned_error(light: np.ndarray) -> Callable[[tf.Tensor, tf.Tensor], tf.Tensor]:
    """A loss between patches: mean distance in the complex plane, weighted by `light` (1 H H 1).

    Patches are (B H H 2C), real parts, then imaginary parts. Patterns do not determine the constant phase of a group,
    so the true patches first take the one that fits the found ones best. The result is (B).
    """
    weights = tf.constant(light / light.sum(), tf.float32)

    def aligned_error(true: tf.Tensor, found: tf.Tensor) -> tf.Tensor:
        true, found = (tf.complex(*tf.split(parts, 2, axis=-1)) for parts in (true, found))
        product = tf.cast(weights, true.dtype) * tf.math.conj(true) * found
        common = tf.reduce_sum(product, axis=(1, 2, 3), keepdims=True)
        turn = tf.stop_gradient(tf.exp(tf.complex(0.0, tf.math.angle(common))))
        difference = found - turn * true
        square = tf.square(tf.math.real(difference)) + tf.square(tf.math.imag(difference))
        distance = tf.sqrt(square + _ROUNDING**2) - _ROUNDING
        return tf.reduce_sum(weights * tf.reduce_mean(distance, axis=-1, keepdims=True), axis=(1, 2, 3))

    return aligned_error


def _centre(images: np.ndarray) -> np.ndarray:
    """The part of patches (B N N c) that stitching uses, or a little more: the U-Net halves its side three times."""
    side = -(-train_pinn.central_side(images.shape[1]) // 8) * 8
    return np.ascontiguousarray(tf_helper.crop_center(images, side))
