"""The supervised baseline: the same network on the same input, taught with the true patches."""

from __future__ import annotations

import keras
import numpy as np

from ptycho import diffsim, model, params, preparation, probe
from ptycho.custom_layers import CombineComplexLayer
from ptycho.loader import PtychoDataContainer
from ptycho.raw_data import RawData
from ptycho.unet import Layers


def true_patches(raw: RawData, indices: np.ndarray) -> np.ndarray:
    """What each pattern of the groups `indices` (B C) saw of the true object: (B N N C) complex64."""
    if raw.objectGuess is None:
        raise ValueError("the supervised baseline needs the true object (objectGuess) of its training data")
    patches = diffsim.extract_patches(raw.objectGuess, raw.xcoords, raw.ycoords, raw.diff3d.shape[1])
    return np.transpose(patches[indices], [0, 2, 3, 1])


def create_baseline(gridsize: int, N: int, steps: int | None = None) -> keras.Model:
    """The network alone, compiled: the model's inputs -> patches [amplitude, phase, complex], (B N N C) each.

    Its loss is the mean absolute error of amplitude and of phase (radians), each pixel weighted with the intensity
    of the probe there: where there is no light there is nothing to learn.
    """
    inputs, views = model.network_inputs(gridsize, N)
    layer = Layers()
    baseline = keras.Model(inputs, _outputs(views, gridsize**2, layer), name="baseline")
    given = keras.Input(views.shape[1:], name="first_estimate")
    trained = keras.Model([*inputs, given], _outputs(given, gridsize**2, layer), name="baseline")
    preparation.register(baseline, trained)
    light = np.abs(probe.get_probe()) ** 2
    weights = (light / light.mean()).astype(np.float32)[None, :, :, None]

    def weighted_mae(true, found):
        return keras.ops.mean(weights * keras.ops.abs(true - found), axis=-1)

    preparation.compile_both(
        baseline,
        optimizer=keras.optimizers.Adam(model.learning_rate(steps)),
        loss=[weighted_mae, weighted_mae, None],
        jit_compile=model.resolve_jit_compile(),
    )
    return baseline


def _outputs(views: keras.KerasTensor, channels: int, layer: Layers) -> list[keras.KerasTensor]:
    """[amplitude, phase, complex] behind the first estimate."""
    amplitude, phase = model.network(views, channels, layer)
    return [amplitude, phase, layer(CombineComplexLayer, name="obj")([amplitude, phase])]


def train(
    data: PtychoDataContainer, patches: np.ndarray, nepochs: int, verbose: int | str = 2
) -> tuple[keras.Model, keras.callbacks.History]:
    """Fit a new baseline to the true `patches` (B N N C) at `params.cfg['batch_size']`."""
    steps = nepochs * -(-len(data) // params.get("batch_size"))
    baseline = create_baseline(params.get("gridsize"), params.get("N"), steps)
    amplitude, phase = np.abs(patches), np.angle(patches)
    trained, inputs = preparation.prepare(baseline, model.prepare_inputs(data), verbose)
    history = trained.fit(
        inputs,
        [amplitude, phase, amplitude],
        batch_size=params.get("batch_size"),
        epochs=nepochs,
        verbose=verbose,
    )
    return baseline, history


def predict(
    baseline: keras.Model, data: PtychoDataContainer, batch_size: int | None = None, verbose: int = 0
) -> np.ndarray:
    """Patches (B N N C) complex64 of all groups."""
    network, inputs = preparation.prepare(baseline, model.prepare_inputs(data), verbose)
    return network.predict(inputs, batch_size=batch_size, verbose=verbose)[2]
