"""Rows (groups) per second of the model's train and predict steps at several batch sizes: the whole step compiled by
XLA, against the plain graph. N = 64, gridsize 2, object_big, a quarter of the filters: the grid-lines study's network.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from typing import Any

from benchmarks.figure import Figure

BATCH_SIZES = (8, 16, 32, 64)
ROUNDS = 7


def figures(
    rounds: int = ROUNDS, batch_sizes: tuple[int, ...] = BATCH_SIZES, filters_scale: float = 0.25
) -> list[Figure]:
    """One figure a step and batch size."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    found = []
    for kind in ("train", "predict"):
        for B in batch_sizes:
            speeds = {jit: rows_per_second(steps(B, jit, filters_scale)[kind], B, rounds) for jit in (True, False)}
            found.append(Figure(f"{kind} step, B = {B}, jit", speeds[True], "rows/s", "plain", speeds[False]))
    return found


def steps(B: int, jit: bool, filters_scale: float) -> dict[str, Callable[[], Any]]:
    """A train and a predict step of a new model on random data."""
    import numpy as np

    from ptycho import model, params

    params.cfg.update(params.DEFAULTS, N=64, gridsize=2, filters_scale=filters_scale, loss="mae")
    autoencoder, _ = model.create_compiled_model(jit_compile=jit)
    rng = np.random.default_rng(0)
    X = rng.random((B, 64, 64, 4), np.float32)
    positions = rng.uniform(-3, 3, (B, 1, 2, 4)).astype(np.float32)
    return {
        "train": lambda: autoencoder.train_on_batch([X, positions], [X, X, X]),
        "predict": lambda: autoencoder.predict_on_batch([X, positions]),
    }


def rows_per_second(step: Callable[[], Any], B: int, rounds: int) -> float:
    """By the median of the rounds; the first, which compiles, does not count."""
    times = []
    for number in range(rounds + 1):
        started = time.perf_counter()
        step()
        if number:
            times.append(time.perf_counter() - started)
    return B / statistics.median(times)
