"""A network for whole objects: it learns from simulated scans what an object looks like that a solver has found.

`ptycho.iterative` joins all patterns of a scan first, so the network sees an average over them, and each pixel once. A
group of four patterns has neither.
"""

from __future__ import annotations

from collections.abc import Sequence

import keras
import numpy as np
import tensorflow as tf

from ptycho import metrics, model, params
from ptycho.unet import Layers, unet

_MEAN = 0.8  # of amplitudes, about: the network sees the difference
_TILE = 72  # side of the parts of objects that it is trained with, pixels; a multiple of 8
_ROUNDING = 0.01  # differences far below this count by their square


def create_network(filters_scale: float) -> keras.Model:
    """The untrained network, which returns its input: (B H W 2) to (B H W 2), amplitude less 0.8, and phase.

    H and W are multiples of 8.
    """
    given = keras.Input((None, None, 2))
    return keras.Model(given, given + keras.ops.concatenate(unet(given, 1, filters_scale, Layers()), axis=-1))


def train(
    network: keras.Model, solved: Sequence[np.ndarray], truths: Sequence[np.ndarray], steps: int, seed: int = 0
) -> list[float]:
    """Fit the network to pairs of objects (M L) complex, of at least 72 pixels. Returns the loss of each step.

    Each step sees `params.cfg["batch_size"]` random parts of them, turned by right angles and mirrored. The loss is the
    mean distance of amplitudes and of phases, which count alike at the range that objects have here.
    """
    pairs = [
        (channels(found), _channels(metrics.align_phase(true, _turned(found))))
        for found, true in zip(solved, truths, strict=True)
    ]
    optimizer = keras.optimizers.Adam(model.learning_rate(steps))
    optimizer.build(network.trainable_variables)

    @tf.function(jit_compile=model.resolve_jit_compile() is True)
    def step(given: tf.Tensor, true: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            difference = network(given, training=True) - true
            loss = tf.reduce_mean(tf.sqrt(tf.square(difference) + _ROUNDING**2) - _ROUNDING)
        gradients = tape.gradient(loss, network.trainable_variables)
        optimizer.apply_gradients(zip(gradients, network.trainable_variables, strict=True))
        return loss

    rng = np.random.default_rng(seed)
    losses = []
    for _ in range(steps):
        parts = [_part(*pairs[rng.integers(len(pairs))], rng) for _ in range(params.get("batch_size"))]
        given, true = (np.stack(each) for each in zip(*parts, strict=True))
        losses.append(float(step(tf.constant(given), tf.constant(true))))
    return losses


def refine(network: keras.Model, solved: np.ndarray) -> np.ndarray:
    """The object (M L) complex64 that the network makes of a solver's (M L)."""
    rows, columns = solved.shape
    padded = np.pad(channels(solved), [(0, -rows % 8), (0, -columns % 8), (0, 0)], mode="edge")
    amplitude, phase = np.moveaxis(network(padded[None]).numpy()[0, :rows, :columns], -1, 0)
    return ((amplitude + _MEAN) * np.exp(1j * phase)).astype(np.complex64)


def channels(image: np.ndarray) -> np.ndarray:
    """What the network sees of an object (M L), (M L 2) float32. Phases are those from the mean phase of the object."""
    return _channels(_turned(image))


def _channels(image: np.ndarray) -> np.ndarray:
    return np.stack([np.abs(image) - _MEAN, np.angle(image)], axis=-1).astype(np.float32)


def _turned(image: np.ndarray) -> np.ndarray:
    return image * np.exp(-1j * np.angle(image.sum()))


def _part(given: np.ndarray, true: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The same random part of both, (72 72 2)."""
    row, column = (int(rng.integers(length - _TILE + 1)) for length in given.shape[:2])
    turns, mirrored = int(rng.integers(4)), bool(rng.integers(2))
    parts = (np.rot90(each[row : row + _TILE, column : column + _TILE], turns) for each in (given, true))
    first, second = (part[::-1] if mirrored else part for part in parts)
    return first, second
