"""Synthetic abdominal slices with an elliptical organ and a bright vessel."""
import numpy as np


def organ(n, rng):
    yy, xx = np.mgrid[:n, :n].astype(float)
    cy, cx = n / 2 + rng.normal(0, n / 20, 2)
    a, b = rng.uniform(n / 7, n / 4, 2)
    th = rng.uniform(0, np.pi)
    u = (xx - cx) * np.cos(th) + (yy - cy) * np.sin(th)
    v = -(xx - cx) * np.sin(th) + (yy - cy) * np.cos(th)
    return (u / a) ** 2 + (v / b) ** 2 < 1


def volume(n_slices, n, noise, rng):
    images, masks = [], []
    for _ in range(n_slices):
        m = organ(n, rng)
        img = 0.3 + 0.5 * m + noise * rng.normal(size=(n, n))
        img += 0.2 * np.linspace(0, 1, n)[None, :]
        images.append(img)
        masks.append(m)
    return np.stack(images), np.stack(masks)


def study(opt, seed):
    rng = np.random.default_rng(seed)
    vols = [volume(opt.slices, opt.matrix, opt.noise, rng) for _ in range(opt.volumes)]
    x = np.concatenate([v[0] for v in vols])
    y = np.concatenate([v[1] for v in vols])
    return x, y
