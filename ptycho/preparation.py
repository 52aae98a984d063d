"""The first estimate of a whole data set, made once: it depends on the data only, so no training step need repeat it.

A model holds its `FirstEstimateLayer`, so that it predicts from patterns and positions alone. Where a data set is known
beforehand, in training and in evaluation, the estimate is made for all groups, kept on disk, and passed to the rest of
the model.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from ptycho import estimate_cache
from ptycho.first_estimate import FirstEstimateLayer

#: an estimate that takes less time is not worth a file
WORTH_KEEPING_SECONDS = 0.5
#: groups at a time: few enough that they stay in the processor's cache
_GROUPS = 16

_trained: weakref.WeakKeyDictionary[keras.Model, keras.Model] = weakref.WeakKeyDictionary()
_functions: weakref.WeakKeyDictionary[FirstEstimateLayer, tuple[Any, Any]] = weakref.WeakKeyDictionary()


def register(model: keras.Model, trained: keras.Model) -> None:
    """Register the part of `model` that follows its first estimate, with the estimate as a third input."""
    _trained[model] = trained


def compile_both(model: keras.Model, **options: Any) -> None:
    """Compile a model and the part of it that is registered, with the same options and one optimizer."""
    for each in (model, _trained.get(model)):
        if each is not None:
            each.compile(**options)
    # Where its variables are there, TensorFlow traces a training step once, not twice.
    model.optimizer.build(model.trainable_variables)


def prepare(
    model: keras.Model, inputs: Sequence[np.ndarray], verbose: int | str = 0
) -> tuple[keras.Model, list[np.ndarray]]:
    """What to fit or to predict with: the part of the model that follows its first estimate, and the inputs of that
    part.

    Both share layers, weights, optimizer and losses. A model that was loaded from a file comes back as it is, and makes
    the estimate itself, in each call. So does one without an estimate, and one that the inputs do not fit: Keras says
    what is wrong with them.

    Args:
        model: built by `ptycho.model` or `ptycho.train_baseline`, or loaded from a file.
        inputs: amplitudes (B N N C) and positions (B 1 2 C) of all groups.
        verbose: 1 shows a progress bar.

    """
    trained = _trained.get(model)
    layer = next((each for each in model.layers if isinstance(each, FirstEstimateLayer)), None)
    if trained is None or layer is None or not _fit(inputs, model):
        return model, list(inputs)
    optimizer = getattr(model, "optimizer", None)
    if optimizer is not None and getattr(trained, "optimizer", None) is not optimizer:
        trained.compile(optimizer=optimizer, loss=model.loss, jit_compile=model.jit_compile)
    return trained, [*inputs, make_views(layer, *inputs, verbose=verbose)]


def _fit(inputs: Sequence[np.ndarray], model: keras.Model) -> bool:
    """Whether these arrays have the shapes that the model takes, the batch aside."""
    return [tuple(array.shape[1:]) for array in inputs] == [tuple(each.shape[1:]) for each in model.inputs]


def make_views(
    layer: FirstEstimateLayer, amplitudes: np.ndarray, positions: np.ndarray, verbose: int | str = 0
) -> np.ndarray:
    """The result of the layer for all groups, from the cache if it is there. Args as for `prepare`."""
    updates, result = _compiled(layer)
    amplitudes, positions = (np.asarray(each, np.float32) for each in (amplitudes, positions))  # as Keras casts them
    settings = (layer.iterations, layer.regularisation, layer.momentum)
    name = estimate_cache.key(settings, (layer.probe, amplitudes, positions))
    objects = estimate_cache.read(name, (len(amplitudes), 1, *layer.probe.shape))
    if objects is None:
        started = time.perf_counter()
        objects = _in_parts(updates, amplitudes, positions, verbose=verbose)
        if time.perf_counter() - started > WORTH_KEEPING_SECONDS:
            estimate_cache.write(name, objects)
    return _in_parts(result, objects, amplitudes, positions)


def _compiled(layer: FirstEstimateLayer) -> tuple[Any, Any]:
    """Two functions of the layer: (amplitudes, positions) to objects, and (objects, amplitudes, positions) to its
    result.
    """
    if layer not in _functions:
        own = weakref.proxy(layer)
        _functions[layer] = (
            tf.function(lambda amplitudes, positions: own.estimate(amplitudes, own.ramps(positions))),
            tf.function(lambda objects, *rest: own.result(objects, rest[0], own.ramps(rest[1]))),
        )
    return _functions[layer]


def _in_parts(function: Any, *arrays: np.ndarray, verbose: int | str = 0) -> np.ndarray:
    """A function of rows, a few groups at a time; it is traced once, whatever the number of rows."""
    total = len(arrays[0])
    traced = function.get_concrete_function(*(tf.TensorSpec([None, *each.shape[1:]], each.dtype) for each in arrays))
    bar = keras.utils.Progbar(total, unit_name="group") if verbose == 1 else None
    parts = []
    for start in range(0, total, _GROUPS):
        parts.append(traced(*(tf.constant(each[start : start + _GROUPS]) for each in arrays)).numpy())
        if bar:
            bar.update(min(start + _GROUPS, total))
    return np.concatenate(parts)
