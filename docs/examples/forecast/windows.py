"""Cuts hourly measurements into windows: a day in, the next hours out."""

import numpy as np

HISTORY = 24
HORIZON = 12


def cut(series):
    """Inputs (windows, 24, sensors) and targets (windows, 12): the first sensor is to be forecast."""
    starts = range(len(series) - HISTORY - HORIZON + 1)
    inputs = np.stack([series[s : s + HISTORY] for s in starts])
    targets = np.stack([series[s + HISTORY : s + HISTORY + HORIZON, 0] for s in starts])
    return inputs.astype("float32"), targets.astype("float32")
