"""Motor imagery like trials: lateralised mu rhythm, two classes."""
import numpy as np


def make_trials(channels, rate, seconds, trials, seed):
    rng = np.random.default_rng(seed)
    n = rate * seconds
    t = np.arange(n) / rate
    y = rng.integers(2, size=trials)
    x = rng.normal(0, 1.0, (trials, n, channels))
    for k in range(trials):
        mu = np.sin(2 * np.pi * rng.uniform(9, 12) * t + rng.uniform(0, 6))
        side = np.linspace(1, 0, channels) if y[k] else np.linspace(0, 1, channels)
        x[k] += 1.2 * mu[:, None] * side[None, :]
    x -= x.mean(axis=2, keepdims=True)          # common average reference
    x /= x.std(axis=(0, 1), keepdims=True)
    return x.astype("float32"), y.astype("int32")


def split(x, y, fraction, seed):
    order = np.random.default_rng(seed).permutation(len(x))
    k = int(len(x) * fraction)
    return (x[order[k:]], y[order[k:]]), (x[order[:k]], y[order[:k]])
