import numpy as np

import settings


def mel(rng, command):
    centre = 2 + 2 * command
    bins = np.arange(settings.N_MELS)
    frame = np.exp(-0.5 * (bins - centre) ** 2)
    return frame + rng.normal(0, 0.1, (settings.FRAMES, settings.N_MELS))


def extract(rng, command):
    m = mel(rng, command)
    if settings.USE_DELTAS:
        m = np.concatenate([m, np.gradient(m, axis=0)], axis=1)
    return m.astype("float32")


def corpus(n, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, len(settings.COMMANDS), n)
    return np.stack([extract(rng, c) for c in labels]), labels
