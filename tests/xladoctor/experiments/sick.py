"""Subjects of the tests of remedies and parity."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf


def dynamic_fft(batch_size: int, kind: str = "reference") -> tuple[Any, tuple[Any, ...]]:
    """XLA cannot carry the size of a masked batch through an FFT; plainly the step is right."""

    def step(x):
        chosen = tf.boolean_mask(x, tf.math.real(x[:, 0]) > -10.0)
        return tf.signal.fft(chosen)

    def reference(x):
        return np.fft.fft(x) * (1 if kind == "reference" else 1j)

    step.reference = reference  # type: ignore[attr-defined]
    random = np.random.default_rng(0)
    return step, (np.exp(1j * random.normal(size=(batch_size, 16))).astype("complex64"),)
