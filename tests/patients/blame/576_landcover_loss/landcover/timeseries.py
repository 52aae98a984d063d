"""Reflectance time series per land cover class with clouds."""
import numpy as np


def class_curve(k, bands, dates):
    rng = np.random.default_rng(40 + k)
    base = rng.uniform(0.05, 0.35, bands)
    t = np.linspace(0, 1, dates)
    green = np.exp(-((t - 0.3 - 0.1 * k) / 0.15) ** 2) * (0.3 if k in (1, 2) else 0.02)
    curve = np.repeat(base[None, :], dates, axis=0)
    curve[:, -1] += green
    curve[:, 0] -= 0.3 * green
    return curve


def sample(p, seed):
    rng = np.random.default_rng(seed)
    k = len(p["classes"])
    curves = np.stack([class_curve(c, p["bands"], p["dates"]) for c in range(k)])
    y = rng.integers(k, size=p["pixels"])
    x = curves[y] * rng.uniform(0.9, 1.1, (p["pixels"], 1, 1)) + 0.02 * rng.normal(size=(p["pixels"], p["dates"], p["bands"]))
    cloudy = rng.random((p["pixels"], p["dates"])) < 0.15
    x[cloudy] = np.nan
    return x, y
