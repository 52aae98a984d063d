"""The model: network, physics and likelihood put together.

Nothing is built when this module is imported: a model has the gridsize and the settings of the moment at
which `create_model_with_gridsize` is called.
"""

from __future__ import annotations

import os
from typing import Literal

import keras
import numpy as np

from ptycho import losses, params, preparation, probe
from ptycho.custom_layers import (
    CombineComplexLayer,
    ExtractPatchesPositionLayer,
    PadAndDiffractLayer,
    PhotonCountLayer,
    ProbeIllumination,
    ReassemblePatchesLayer,
)
from ptycho.first_estimate import BareViewsLayer, FirstEstimateLayer, RefineLayer
from ptycho.loader import PtychoDataContainer
from ptycho.unet import Layers, unet


def positions_shape(gridsize: int) -> tuple[int, ...]:
    """Shape of one group's positions: (1 2 C)."""
    return (1, 2, gridsize**2)


def create_model_with_gridsize(gridsize: int, N: int) -> tuple[keras.Model, keras.Model]:
    """Build the model; everything but gridsize and N comes from `params.cfg`.

    Inputs of both: `input` (B N N C) amplitudes and `input_positions` (B 1 2 C).

    Returns:
        `autoencoder`: objects (B P P 1), amplitudes (B N N C), expected counts (B N N C); and
        `diffraction_to_obj`, which shares its weights and ends with the objects. With `object_big` False
        the objects are patches (B N N C).

    """
    inputs, views = network_inputs(gridsize, N)
    layer = Layers()
    objects, amplitudes, counts = _outputs(inputs, views, gridsize, N, layer)
    autoencoder = keras.Model(inputs, [objects, amplitudes, counts], name="autoencoder")
    diffraction_to_obj = keras.Model(inputs, objects, name="diffraction_to_obj")
    given = keras.Input(views.shape[1:], name="first_estimate")
    trained = keras.Model([*inputs, given], _outputs(inputs, given, gridsize, N, layer), name="autoencoder")
    preparation.register(autoencoder, trained)
    return autoencoder, diffraction_to_obj


def network_inputs(gridsize: int, N: int) -> tuple[list[keras.KerasTensor], keras.KerasTensor]:
    """`input` (B N N C) and `input_positions` (B 1 2 C), and what the network sees of them (B N N c).

    `params.cfg["network_input"]` says what: the first estimate, that with its residuals, the bare patterns, or
    those with their transforms.
    """
    diffraction = keras.Input((N, N, gridsize**2), name="input")
    positions = keras.Input(positions_shape(gridsize), name="input_positions")
    kind = params.get("network_input")
    if kind in ("patterns", "transforms"):
        return [diffraction, positions], BareViewsLayer(kind == "transforms", name="bare_views")(diffraction)
    estimate = FirstEstimateLayer(
        probe.get_probe(), params.get("estimate_iterations"), residuals=kind == "residuals", name="first_estimate"
    )
    return [diffraction, positions], estimate([diffraction, positions])


def network(views: keras.KerasTensor, channels: int, layer: Layers) -> list[keras.KerasTensor]:
    """The trained part, between the first estimate and its refinement: [amplitude, phase], (B N N C) each."""
    maps = unet(views, channels, params.get("filters_scale"), layer)
    estimates = views[..., : 2 * channels] if views.shape[-1] > 2 * channels else views  # the rest is for the network
    return layer(RefineLayer, name="refined")([estimates, *maps])


def _outputs(
    inputs: list[keras.KerasTensor], views: keras.KerasTensor, gridsize: int, N: int, layer: Layers
) -> list[keras.KerasTensor]:
    """All that comes behind the first estimate: objects, amplitudes and counts, as in `create_model_with_gridsize`."""
    positions = inputs[1]
    patches = layer(CombineComplexLayer, name="obj")(network(views, gridsize**2, layer))
    if params.get("object_big"):
        size = params.get_padded_size(N, gridsize)
        objects = layer(ReassemblePatchesLayer, padded_size=size, name="padded_obj")([patches, positions])
        extract = layer(ExtractPatchesPositionLayer, N=N, gridsize=gridsize, name="padded_objs_with_offsets")
        seen = extract([objects, positions])
    else:
        objects = seen = patches
    exit_waves = layer(ProbeIllumination, probe.get_probe(), name="illumination")(seen)
    amplitudes = layer(PadAndDiffractLayer, size=N, name="pred_amplitude")(exit_waves)
    counts = layer(PhotonCountLayer, scale=params.get("intensity_scale") or 1.0, name="pred_intensity")(amplitudes)
    return [objects, amplitudes, counts]


def resolve_jit_compile() -> bool | Literal["auto"]:
    """The argument for Keras' `compile(jit_compile=...)`. The environment variable USE_XLA_COMPILE decides if it is
    set, otherwise `params.cfg['use_xla_compile']`.
    """
    value = os.environ.get("USE_XLA_COMPILE", "").strip().lower()
    if value:
        return value in ("1", "true", "yes", "on")
    return params.get("use_xla_compile")


def compile_model(
    autoencoder: keras.Model,
    loss: str | None = None,
    jit_compile: bool | Literal["auto"] | None = None,
    steps: int | None = None,
) -> keras.Model:
    """Compile with the loss ("poisson" or "mae") and settings of `params.cfg`, unless given.

    With `steps`, the number of training steps to come, the learning rate rises over the first of them and falls
    to nearly 0 along a cosine; without, it is constant.
    """
    loss = params.get("loss") if loss is None else loss
    chosen = {"mae": [None, losses.amplitude_mae, None], "poisson": [None, None, losses.poisson_deviance]}
    if loss not in chosen:
        raise ValueError(f"loss must be 'poisson' or 'mae', not {loss!r}")
    preparation.compile_both(
        autoencoder,
        optimizer=keras.optimizers.Adam(learning_rate(steps)),
        loss=chosen[loss],
        jit_compile=resolve_jit_compile() if jit_compile is None else jit_compile,
    )
    return autoencoder


def learning_rate(steps: int | None) -> float | keras.optimizers.schedules.LearningRateSchedule:
    """`params.cfg["learning_rate"]`, as a schedule if the number of steps to come is known (see `compile_model`)."""
    peak = params.get("learning_rate")
    if steps is None:
        return peak
    warmup = min(100, steps // 5)
    return keras.optimizers.schedules.CosineDecay(
        peak / 10, max(steps - warmup, 1), alpha=0.02, warmup_target=peak, warmup_steps=warmup
    )


def create_compiled_model(
    gridsize: int | None = None,
    N: int | None = None,
    loss: str | None = None,
    jit_compile: bool | Literal["auto"] | None = None,
    steps: int | None = None,
) -> tuple[keras.Model, keras.Model]:
    """`create_model_with_gridsize`, then `compile_model`; missing arguments come from `params.cfg`."""
    gridsize = params.get("gridsize") if gridsize is None else gridsize
    N = params.get("N") if N is None else N
    autoencoder, diffraction_to_obj = create_model_with_gridsize(gridsize, N)
    compile_model(autoencoder, loss, jit_compile, steps)
    return autoencoder, diffraction_to_obj


def prepare_inputs(data: PtychoDataContainer) -> list[np.ndarray]:
    """Inputs of the model: amplitudes (B N N C) and positions (B 1 2 C)."""
    return [data.X, data.coords]


def prepare_outputs(data: PtychoDataContainer) -> list[np.ndarray]:
    """Targets of the autoencoder; unused amplitudes replace the objects, which are unknown."""
    return [data.X, data.X, data.counts]


def train(
    nepochs: int, trainset: PtychoDataContainer, autoencoder: keras.Model, verbose: int = 2
) -> keras.callbacks.History:
    """Fit a compiled autoencoder at `params.cfg['batch_size']`. The first estimate is made once, before all steps."""
    trained, inputs = preparation.prepare(autoencoder, prepare_inputs(trainset), verbose)
    return trained.fit(
        inputs,
        prepare_outputs(trainset),
        batch_size=params.get("batch_size"),
        epochs=nepochs,
        verbose=verbose,
    )
