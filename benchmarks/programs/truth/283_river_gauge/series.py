import numpy as np
import tensorflow as tf

import config


def simulate(days, seed=0):
    """Three-hourly water levels of two upper stations and the gauge below them."""
    rng = np.random.default_rng(seed)
    n = days * 24 // config.STEP_H
    rain = rng.gamma(0.3, 2.0, n) * (rng.random(n) < 0.15)
    up, trib = np.zeros(n), np.zeros(n)
    for t in range(1, n):
        up[t] = 0.93 * up[t - 1] + 0.5 * rain[t]
        trib[t] = 0.85 * trib[t - 1] + 0.8 * rain[t]
    gauge = 0.6 * np.roll(up, 4) + 0.4 * np.roll(trib, 2) + rng.normal(0, 0.02, n)
    return np.stack([up, trib, gauge], axis=1).astype("float32")


def standardise(levels):
    mean, std = levels.mean(0), levels.std(0)
    return (levels - mean) / std, mean, std


def windows(levels, shuffle):
    col = config.STATIONS.index(config.TARGET)
    total = config.LOOKBACK + config.HORIZON

    ds = tf.data.Dataset.from_tensor_slices(levels)
    ds = ds.window(total, shift=1, drop_remainder=True)
    ds = ds.flat_map(lambda w: w.batch(total, drop_remainder=True))
    ds = ds.map(lambda w: (w[: config.LOOKBACK], w[config.LOOKBACK :, col]))
    if shuffle:
        ds = ds.shuffle(512, seed=3)
    return ds.batch(config.BATCH).prefetch(1)
