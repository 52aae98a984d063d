"""Simulated wrist IMU recordings of hand gestures with free duration."""
from dataclasses import dataclass

import numpy as np

GESTURES = ("circle", "swipe", "shake")


@dataclass
class Recording:
    subject: int
    label: int
    signal: np.ndarray        # (time, 6)


def synthesize(label, duration, rng):
    t = np.linspace(0, 1, duration)
    s = np.zeros((duration, 6))
    if label == 0:
        s[:, 0], s[:, 1] = np.cos(2 * np.pi * t), np.sin(2 * np.pi * t)
    elif label == 1:
        s[:, 0] = np.gradient(1 / (1 + np.exp(-12 * (t - 0.5)))) * duration / 3
    else:
        s[:, 2] = np.sin(2 * np.pi * rng.uniform(5, 8) * t)
    s[:, 3:] = np.cumsum(s[:, :3], axis=0) / duration
    return s * rng.uniform(0.7, 1.3) + 0.15 * rng.normal(size=s.shape)


def campaign(subjects, per_subject, seed):
    rng = np.random.default_rng(seed)
    out = []
    for sub in range(subjects):
        for _ in range(per_subject):
            label = int(rng.integers(len(GESTURES)))
            duration = int(rng.integers(24, 70))
            out.append(Recording(sub, label, synthesize(label, duration, rng)))
    return out
