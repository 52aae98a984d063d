"""Feature blocks of soil samples: near-infrared bands and lab chemistry."""
import numpy as np

BANDS = 40
ASSAYS = 12


def nir(rng, n):
    base = np.cumsum(rng.normal(0, 0.1, (n, BANDS)), axis=1)
    return (0.4 + base).astype("float32")


def assays(rng, n):
    return rng.lognormal(0.0, 0.4, (n, ASSAYS)).astype("float32")


def snv(block, axis=1):
    """Standard normal variate."""
    mu = block.mean(axis=axis, keepdims=True)
    sd = block.std(axis=axis, keepdims=True)
    return (block - mu) / (sd + 1e-6)


def derivative(block):
    """First derivative along the spectrum (Savitzky-Golay with three points)."""
    return np.diff(block, n=1, axis=0)


def table(seed, n):
    rng = np.random.default_rng(seed)
    spec = nir(rng, n)
    chem = assays(rng, n)
    carbon = 1.5 * spec[:, 10] - 0.7 * spec[:, 30] + 0.2 * chem[:, 0] + rng.normal(0, 0.05, n)
    return {
        "raw": snv(spec),
        "slope": derivative(spec),
        "chem": np.log(chem),
        "carbon": carbon.astype("float32")[:, None],
    }
