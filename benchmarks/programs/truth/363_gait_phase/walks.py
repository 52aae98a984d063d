import numpy as np


def one_walk(settings, subject):
    rng = np.random.default_rng(subject)
    t = np.arange(3000) / 100.0
    rate = rng.uniform(0.8, 1.2)
    walk = {}
    for k, name in enumerate(settings.channels):
        walk[name] = np.sin(2 * np.pi * rate * t + k) + settings.noise * rng.normal(size=t.size)
    walk["phase"] = (np.floor(4 * rate * t) % settings.phases).astype("int64")
    return walk


def cut(series, window, stride):
    starts = range(0, len(series) - window + 1, stride)
    return np.stack([series[s:s + window] for s in starts])


def windows(settings):
    xs, ys = [], []
    for subject in settings.subjects:
        walk = one_walk(settings, subject)
        planes = [cut(walk[c], settings.window, settings.stride) for c in settings.channels]
        xs.append(np.stack(planes, axis=1))
        ys.append(cut(walk["phase"], settings.window, settings.stride)[:, -1])
    return np.concatenate(xs).astype("float32"), np.concatenate(ys)
