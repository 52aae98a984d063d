import numpy as np


class Scaler:
    def fit(self, frame):
        self.mean, self.std = frame.mean(), frame.std()
        return self

    def transform(self, frame):
        return ((frame - self.mean) / self.std).to_numpy("float32")

    def inverse(self, a):
        return a * self.std.to_numpy() + self.mean.to_numpy()


def make_windows(a, lookback, horizon):
    """(time, assets) -> inputs (n, lookback, assets), targets (n, horizon, assets)."""
    n = len(a) - lookback - horizon + 1
    if n < 1:
        raise ValueError("series too short")
    x = np.stack([a[i:i + lookback] for i in range(n)])
    y = np.stack([a[i + lookback:i + lookback + horizon] for i in range(n)])
    return x, y
