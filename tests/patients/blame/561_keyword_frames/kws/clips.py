"""Synthetic stand-in for the recorded clips."""
import numpy as np


def chirp(f0, f1, n, sr, rng):
    t = np.arange(n) / sr
    f = f0 + (f1 - f0) * t / t[-1]
    phase = 2 * np.pi * np.cumsum(f) / sr + rng.uniform(0, 2 * np.pi)
    return np.sin(phase)


PATTERNS = {
    "up": (300, 1500),
    "down": (1500, 300),
    "stop": (800, 800),
    "go": (2500, 2000),
}


def make_clips(s):
    rng = np.random.default_rng(s.seed)
    waves, labels = [], []
    for i in range(s.n_clips):
        k = i % s.n_classes
        f0, f1 = PATTERNS[s.keywords[k]]
        shift = rng.uniform(0.9, 1.1)
        w = chirp(f0 * shift, f1 * shift, s.n_samples, s.sample_rate, rng)
        w = w * rng.uniform(0.2, 0.9) + 0.05 * rng.normal(size=s.n_samples)
        waves.append(w)
        labels.append(k)
    order = rng.permutation(s.n_clips)
    return np.asarray(waves, "float32")[order], np.asarray(labels, "int32")[order]
