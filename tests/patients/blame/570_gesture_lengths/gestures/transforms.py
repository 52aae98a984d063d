import numpy as np


class Standardize:
    def fit(self, recordings):
        stacked = np.concatenate([r.signal for r in recordings])
        self.mean, self.std = stacked.mean(0), stacked.std(0)
        return self

    def __call__(self, signal):
        return (signal - self.mean) / self.std


class Crop:
    """Keep at most `limit` samples around the centre."""

    def __init__(self, limit):
        self.limit = limit

    def __call__(self, signal):
        extra = len(signal) - self.limit
        if extra <= 0:
            return signal
        start = extra // 2
        return signal[start:start + self.limit]


class Compose:
    def __init__(self, *steps):
        self.steps = steps

    def __call__(self, signal):
        for s in self.steps:
            signal = s(signal)
        return signal.astype("float32")
