"""Calls of the model at any batch size, for `xladoctor replay --subject ptycho:train_step` and the like.

Each function takes a number of groups B and returns `(function, arguments)`: the call `function(*arguments)` is one
step of the model on synthetic data. It runs eagerly, in a `tf.function` (with an open batch too) and under XLA; it is
not compiled by itself beyond what `params.cfg["use_xla_translate"]` says of the warp. Data and weights are the same
in every process, and the first rows are the same at every batch size.

Settings come from `params.cfg`, as in a study, and so does a fault from the environment variable PTYCHO_FAULT. For
these calls, `SETTINGS` replaces the package's defaults in `params.cfg`: a small network for groups of 4.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from ptycho import diffsim, loader, model, params, probe, train_pinn
from ptycho.custom_layers import ReassemblePatchesLayer
from ptycho.faults import mmd_session, registry
from ptycho.loader import PtychoDataContainer

#: In the place of `params.DEFAULTS`, which are those of a whole study.
SETTINGS: dict[str, Any] = {"gridsize": 2, "N": 64, "filters_scale": 1 / 8}

#: Photons of the empty beam in a pattern.
_BEAM = 1e6

Call = tuple[Callable[..., Any], tuple[Any, ...]]


def train_step(batch_size: int, gridsize: int | None = None, N: int | None = None, seed: int = 0) -> Call:
    """One step of training with Adam.

    `function(X, positions, measured, counts)` with amplitudes (B N N C), positions (B 1 2 C), measured amplitudes
    and counts (B N N C) gives the loss, the objects (B P P 1), the amplitudes (B N N C) and the expected counts (B N N
    C) from before the update, and changes the weights.
    """
    patches = _start(gridsize, N)
    step, variables, start = _train_step(_settled(seed), seed)
    for variable, value in zip(variables, start, strict=True):
        variable.assign(value)
    with registry.replaced(patches):
        data = _data(batch_size, seed)
        inputs, targets = model.prepare_inputs(data), model.prepare_outputs(data)
    return step, (*inputs, targets[1], targets[2])


@functools.lru_cache(maxsize=2)
def _train_step(settled: Hashable, seed: int) -> tuple[Callable[..., Any], list[Any], list[np.ndarray]]:
    """(the step, its variables, what they start with). Another batch size is the same step: it can share a trace."""
    patches = _faults()
    with registry.replaced(patches):
        keras.utils.set_random_seed(seed)
        autoencoder, _ = model.create_compiled_model(params.get("gridsize"), params.get("N"), jit_compile=False)
    autoencoder.optimizer.build(autoencoder.trainable_variables)

    def step(X, positions, measured, counts):
        with tf.GradientTape() as tape:
            objects, amplitudes, expected = autoencoder([X, positions], training=True)
            loss = autoencoder.compute_loss(
                x=[X, positions], y=[measured, measured, counts], y_pred=[objects, amplitudes, expected], training=True
            )
        gradients = tape.gradient(loss, autoencoder.trainable_variables)
        autoencoder.optimizer.apply_gradients(zip(gradients, autoencoder.trainable_variables, strict=True))
        return loss, objects, amplitudes, expected

    variables = [*autoencoder.variables, *autoencoder.optimizer.variables]
    return _under(patches, step), variables, [v.numpy() for v in variables]


def predict(batch_size: int, gridsize: int | None = None, N: int | None = None, seed: int = 0) -> Call:
    """The whole network, as `predict` of a study runs it, with the weights that it starts with.

    `function(X, positions)` with amplitudes (B N N C) and positions (B 1 2 C) gives objects (B P P 1), amplitudes (B
    N N C) and expected counts (B N N C).
    """
    patches = _start(gridsize, N)
    with registry.replaced(patches):
        inputs = model.prepare_inputs(_data(batch_size, seed))
    return _predict(_settled(seed), seed), tuple(inputs)


@functools.lru_cache(maxsize=2)
def _predict(settled: Hashable, seed: int) -> Callable[..., Any]:
    patches = _faults()
    with registry.replaced(patches):
        keras.utils.set_random_seed(seed)
        autoencoder, _ = model.create_model_with_gridsize(params.get("gridsize"), params.get("N"))

    def step(X, positions):
        return autoencoder([X, positions], training=False)

    return _under(patches, step)


def reassemble(batch_size: int, gridsize: int | None = None, N: int | None = None, seed: int = 0) -> Call:
    """Only the reassembly: `function(patches, positions)` with complex patches (B N N C) and positions (B 1 2 C) gives
    objects (B P P 1).
    """
    patches = _start(gridsize, N)
    with registry.replaced(patches):
        truth, _, coords, _ = _groups(batch_size, seed)
    return _reassemble(_settled(seed)), (np.moveaxis(truth, 1, -1), coords)


@functools.lru_cache(maxsize=2)
def _reassemble(settled: Hashable) -> Callable[..., Any]:
    patches = _faults()
    with registry.replaced(patches):
        layer = ReassemblePatchesLayer()

    def step(patches, positions):
        return layer([patches, positions])

    called = _under(patches, step)
    called.reference = functools.partial(reassembled, padded_size=layer.padded_size)  # type: ignore[attr-defined]
    return called


def reassembled(patches: np.ndarray, positions: np.ndarray, padded_size: int, eps: float = 1e-3) -> np.ndarray:
    """The same in NumPy and in double precision: patches (B N N C) at positions (B 1 2 C) as objects (B P P 1)."""
    before = (padded_size - patches.shape[1]) // 2
    after = padded_size - patches.shape[1] - before
    room = [(0, 0), (before, after), (before, after), (0, 0)]
    total = _moved(np.pad(patches.astype(np.complex128), room), positions[:, 0])
    coverage = _moved(np.pad(np.ones(patches.shape), room), positions[:, 0])
    return (total.sum(axis=-1) / (coverage.sum(axis=-1) + eps))[..., None]


def _moved(images: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Images (B P P C) with their content moved by (x, y) of offsets (B 2 C), linearly between pixels; 0 comes in."""
    for axis, shift in ((1, offsets[:, 1]), (2, offsets[:, 0])):
        size = images.shape[axis]
        whole = np.floor(shift).astype(int)
        part = (shift - whole)[:, None, None, :]
        near = np.arange(size)[None, :, None] - whole[:, None, :]  # (B P C), where each pixel comes from
        images = (1 - part) * _taken(images, near, axis) + part * _taken(images, near - 1, axis)
    return images


def _taken(images: np.ndarray, index: np.ndarray, axis: int) -> np.ndarray:
    """Pixels of images (B P P C) along an axis at index (B P C); 0 where it lies outside."""
    index = np.expand_dims(index, 3 - axis)
    inside = (index >= 0) & (index < images.shape[axis])
    clipped = np.broadcast_to(np.clip(index, 0, images.shape[axis] - 1), images.shape)
    return np.where(inside, np.take_along_axis(images, clipped, axis), 0)


def stitch(batch_size: int, gridsize: int | None = None, N: int | None = None, seed: int = 0) -> np.ndarray:
    """The whole object (M L) from this many groups, as the evaluation of a study makes it.

    It makes its calls itself: Keras' `predict`, in batches of 32, and then the stitching, which is not a graph.
    """
    patches = _start(gridsize, N)
    with registry.replaced(patches):
        return train_pinn.evaluate(_autoencoder(_settled(seed), seed), _data(batch_size, seed)).stitched


@functools.lru_cache(maxsize=2)
def _autoencoder(settled: Hashable, seed: int) -> keras.Model:
    keras.utils.set_random_seed(seed)
    return model.create_compiled_model(params.get("gridsize"), params.get("N"))[0]


def mmd_loss(batch_size: int, sigmas_dtype: str = "float32", seed: int = 0) -> Call:
    """The loss of the program `ptycho.faults.mmd_session`, without its session and its training.

    `function(inputs, prior)` with samples (B 6) and (B 3) gives one number; `sigmas_dtype` is that of its constants.
    """
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=(6, 3))

    def loss(inputs, prior):
        with tf.name_scope("enc_1"):
            sigmas = tf.constant(mmd_session.SIGMAS, dtype=sigmas_dtype)
            return mmd_session.maximum_mean_discrepancy(tf.tanh(inputs @ weights), prior, sigmas)

    return loss, (rng.normal(size=(batch_size, 6)), rng.normal(size=(batch_size, 3)))


for _call in (train_step, predict, reassemble):
    # What a result with an axis of rows promises: one for each row of the arguments.
    _call.by_row = True  # type: ignore[attr-defined]
for _call in (stitch, mmd_loss):
    _call.by_row = False  # type: ignore[attr-defined]


def _start(gridsize: int | None, N: int | None) -> Sequence[registry.Patch]:
    """Put in the fault of the environment, as an import would, then settle the settings, as a study does before it
    builds anything.
    """
    patches = _faults()
    given = {"gridsize": gridsize, "N": N}
    for key, ours in SETTINGS.items():
        if given.get(key) is not None:
            params.set(key, given[key])
        elif params.get(key) == params.DEFAULTS[key]:
            params.set(key, ours)
    params.set("intensity_scale", loader.scale_of_beam(_BEAM, params.get("N")))
    return patches


def _settled(seed: int) -> Hashable:
    """All that decides what the step is, besides the batch size: settings, their arrays by content, and the fault."""
    values = ((key, params.get(key)) for key in sorted(params.DEFAULTS))
    plain = ((key, value.tobytes() if isinstance(value, np.ndarray) else repr(value)) for key, value in values)
    return (*plain, repr(registry.from_environment()), seed)


def _faults() -> Sequence[registry.Patch]:
    """The fault of the environment."""
    asked = registry.from_environment()
    return () if asked is None else _put_in(asked[0], tuple(asked[1]))


@functools.lru_cache(maxsize=2)
def _put_in(name: str, options: tuple[str, ...]) -> Sequence[registry.Patch]:
    """A fault is made once in a process, when it is first asked for: what it makes then is kept."""
    fault = registry.get(name)
    return fault.patches(**{**fault.options, **registry.parse_options(fault, options)})


def _under(patches: Sequence[registry.Patch], step: Callable[..., Any]) -> Callable[..., Any]:
    """The step with the fault in it while it runs or is traced. Like Keras' own steps it is not for AutoGraph."""

    @tf.autograph.experimental.do_not_convert
    @functools.wraps(step)
    def under_fault(*arguments):
        with registry.replaced(patches):
            return step(*arguments)

    return under_fault


def _data(batch_size: int, seed: int) -> PtychoDataContainer:
    """Measured groups: photon counts of a random object, seen at the positions of a raster scan."""
    _, patterns, coords, centres = _groups(batch_size, seed)
    counts = np.random.default_rng(seed + 3).poisson(patterns * (_BEAM / (params.get("N") / 2) ** 2))
    return loader.load(
        {
            "diffraction": np.moveaxis(counts, 1, -1).astype(np.float32),
            "coords_start_relative": coords,
            "coords_offsets": centres,
        },
        params.get("intensity_scale"),
    )


def _groups(batch_size: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Patches (B C N N) complex, their patterns (B C N N), positions (B 1 2 C) from each group's centre, and the
    centres (B 1 2 1).
    """
    if batch_size < 1:
        raise ValueError(f"a batch has at least one group, not {batch_size}")
    N, side, step = params.get("N"), params.get("gridsize"), params.get("offset")
    truth = diffsim.lines_object(N + 96, np.random.default_rng(seed))
    room = len(truth) / 2 - N / 2 - side * step - 2
    if room <= 0:
        raise ValueError(
            f"gridsize {side} with steps of {step} pixels is too wide for the object of {len(truth)} pixels"
        )
    centres = np.random.default_rng(seed + 1).uniform(-room, room, (batch_size, 2, 1)) + len(truth) / 2
    axis = (np.arange(side) - (side - 1) / 2) * step
    nominal = np.stack([a.ravel() for a in np.meshgrid(axis, axis)])
    coords = nominal + np.random.default_rng(seed + 2).uniform(-step / 4, step / 4, (batch_size, 2, side**2))
    coords -= coords.mean(axis=-1, keepdims=True)
    x, y = ((centres + coords)[:, i].ravel() for i in (0, 1))
    patches = diffsim.extract_patches(truth, x, y, N)
    patterns = diffsim.diffract(patches, probe.get_probe())
    shape = (batch_size, side**2, N, N)
    positions, middles = coords[:, None].astype(np.float32), centres[:, None].astype(np.float32)
    return patches.reshape(shape), patterns.reshape(shape), positions, middles
