"""Groups per second of the model in training and prediction: with the first estimate prepared, as studies run, against
the estimate in every step. N = 64, gridsize 2, object_big, a quarter of the filters: the grid-lines study's network.

Both are called in turn in one process, and figures are of processor time (all threads), since other work on the machine
lengthens the time of the clock. The estimate itself is a figure of its own: a data set needs it once.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from typing import Any

from benchmarks.figure import Figure

BATCH_SIZES = (8,)
ROUNDS = 5
ITERATIONS = 40


def figures(
    rounds: int = ROUNDS,
    batch_sizes: tuple[int, ...] = BATCH_SIZES,
    filters_scale: float = 0.25,
    iterations: int = ITERATIONS,
) -> list[Figure]:
    """One figure a step, batch size, and way of compiling."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    found = []
    for jit in (False, True):
        for B in batch_sizes:
            calls = steps(B, jit, filters_scale, iterations)
            speeds = groups_per_second(calls, B, rounds)
            how = "jit" if jit else "plain"
            for kind in ("train", "predict"):
                new, old = speeds[kind], speeds[f"{kind}, estimate in the step"]
                found.append(Figure(f"{kind}, B = {B}, {how}", new, "groups/s", "estimate in the step", old))
    estimate = speeds["estimate"]
    return [*found, Figure(f"{iterations} updates, prepared", estimate, "groups/s", "train, jit", speeds["train"])]


def steps(B: int, jit: bool, filters_scale: float, iterations: int) -> dict[str, Callable[[], Any]]:
    """Calls of a new model on random data, by name."""
    import numpy as np

    from ptycho import model, params, preparation

    cfg = {"N": 64, "gridsize": 2, "filters_scale": filters_scale, "loss": "mae", "estimate_iterations": iterations}
    params.cfg.update(params.DEFAULTS, **cfg)
    autoencoder, _ = model.create_compiled_model(jit_compile=jit)
    rng = np.random.default_rng(0)
    X = rng.random((B, 64, 64, 4), np.float32)
    inputs = [X, rng.uniform(-3, 3, (B, 1, 2, 4)).astype(np.float32)]
    os.environ["PTYCHO_CACHE"] = "off"
    trained, prepared = preparation.prepare(autoencoder, inputs)
    return {
        "train": lambda: trained.train_on_batch(prepared, [X, X, X]),
        "train, estimate in the step": lambda: autoencoder.train_on_batch(inputs, [X, X, X]),
        "predict": lambda: trained.predict_on_batch(prepared),
        "predict, estimate in the step": lambda: autoencoder.predict_on_batch(inputs),
        "estimate": lambda: preparation.prepare(autoencoder, inputs),
    }


def groups_per_second(calls: dict[str, Callable[[], Any]], B: int, rounds: int) -> dict[str, float]:
    """Groups per second of processor time, by the median of the rounds; the first, which compiles, does not count."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds + 1):
        for name, call in calls.items():
            started = time.process_time()
            call()
            times[name].append(time.process_time() - started)
    return {name: B / statistics.median(seconds[1:]) for name, seconds in times.items()}
