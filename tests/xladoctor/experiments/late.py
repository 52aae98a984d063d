"""Subjects whose program writes a setting while it is built: in time, or too late for what it governs."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from ptycho import params

_AT_IMPORT = params.get("gridsize")


def _step(width: int) -> Any:
    def step(x):
        return tf.reshape(x, [-1, 2 * width]) @ tf.ones([2 * width, 1])

    return step


def _arguments(batch_size: int) -> tuple[Any, ...]:
    return (np.random.default_rng(0).normal(size=(batch_size, 4)).astype("float32"),)


def at_import(batch_size: int) -> tuple[Any, tuple[Any, ...]]:
    """What was read at the import decides; the program's own value comes too late."""
    params.set("gridsize", 2)
    return _step(_AT_IMPORT), _arguments(batch_size)


def at_build(batch_size: int) -> tuple[Any, tuple[Any, ...]]:
    """What is read when it is built decides, and the program writes its value after that."""
    step = _step(params.get("gridsize"))
    params.set("gridsize", 2)
    return step, _arguments(batch_size)


def in_time(batch_size: int) -> tuple[Any, tuple[Any, ...]]:
    """The program writes it first."""
    params.set("gridsize", 2)
    return _step(params.get("gridsize")), _arguments(batch_size)


def unread(batch_size: int) -> tuple[Any, tuple[Any, ...]]:
    """Nobody reads a switch."""
    return _step(2), _arguments(batch_size)


def refused(batch_size: int) -> tuple[Any, tuple[Any, ...]]:
    """TensorFlow refuses an op of a function that AutoGraph converts."""

    @tf.function
    def inner(x):
        if tf.reduce_sum(x) > 0:
            x = x + 1.0
        return x * tf.ones([1, 5])

    def step(x):
        return inner(x)

    return step, _arguments(batch_size)


def refused_while_built(batch_size: int) -> Any:
    """The same, where the callable makes its call itself."""
    step, arguments = refused(batch_size)
    return step(tf.constant(arguments[0]))


for _one in (at_import, at_build, in_time, unread):
    _one.by_row = True  # type: ignore[attr-defined]
