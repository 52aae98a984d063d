"""Hyperspectral pixels: mixtures of a few endmember spectra."""
import numpy as np

LIBRARY_SEED = 99


def endmembers(bands, k):
    rng = np.random.default_rng(LIBRARY_SEED)
    x = np.linspace(0, 1, bands)
    out = []
    for _ in range(k):
        base = rng.uniform(0.2, 0.6) + rng.uniform(-0.2, 0.2) * x
        for _ in range(3):
            base = base - rng.uniform(0.1, 0.3) * np.exp(-((x - rng.uniform()) / rng.uniform(0.02, 0.08)) ** 2)
        out.append(base)
    return np.stack(out)


def scene(n, bands, k=4, seed=0, noise=0.01):
    rng = np.random.default_rng(seed)
    e = endmembers(bands, k)
    a = rng.dirichlet(np.full(k, 0.4), size=n)
    x = a @ e * rng.uniform(0.7, 1.2, (n, 1)) + noise * rng.normal(size=(n, bands))
    return x[..., None].astype("float32"), a.argmax(axis=1).astype("int32")
