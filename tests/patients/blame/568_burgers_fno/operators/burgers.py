"""Pseudo-spectral solver for the viscous Burgers equation on [0, 2 pi)."""
import numpy as np


def random_field(n, rng, decay=2.5):
    k = np.arange(n // 2 + 1)
    amp = (k + 1.0) ** (-decay) * n
    c = amp * (rng.normal(size=k.size) + 1j * rng.normal(size=k.size))
    c[0] = 0
    return np.fft.irfft(c, n)


def solve(u0, nu, t_end, steps=200):
    n = u0.size
    k = np.fft.rfftfreq(n, 1 / n)
    keep = k < n / 3
    dt = t_end / steps
    decay = np.exp(-nu * k ** 2 * dt)
    c = np.fft.rfft(u0)
    for _ in range(steps):
        u = np.fft.irfft(c, n)
        nonlin = -0.5j * k * np.fft.rfft(u * u) * keep
        mid = np.fft.irfft(c + 0.5 * dt * nonlin, n)
        nonlin = -0.5j * k * np.fft.rfft(mid * mid) * keep
        c = (c + dt * nonlin) * decay
    return np.fft.irfft(c, n)


def pairs(cfg):
    rng = np.random.default_rng(cfg["seed"])
    u0 = np.stack([random_field(cfg["grid"], rng) for _ in range(cfg["samples"])])
    u1 = np.stack([solve(u, cfg["viscosity"], cfg["t_end"]) for u in u0])
    return u0, u1
