import numpy as np

FRAMES, BANDS = 20, 12


def spectrograms(words, per_word, seed):
    rng = np.random.default_rng(seed)
    xs, ys = [], []
    for index, word in enumerate(words):
        pitch = 1.0 + sum(map(ord, word)) % 7
        t = np.arange(FRAMES)[:, None] / FRAMES
        f = np.arange(BANDS)[None] / BANDS
        base = np.sin(pitch * t * 6) * np.cos(pitch * f * 3)
        xs.append(base + rng.normal(0, 0.2, (per_word, FRAMES, BANDS)))
        ys += [index] * per_word
    order = rng.permutation(len(ys))
    return np.concatenate(xs)[order].astype("float32"), np.array(ys)[order]
