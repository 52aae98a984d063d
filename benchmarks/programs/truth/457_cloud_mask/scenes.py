import numpy as np

BANDS = ("blue", "green", "red", "nir", "swir")


def make_scene(size, rng):
    ground = rng.uniform(0.05, 0.3, size=(len(BANDS), 1, 1))
    yy, xx = np.mgrid[:size, :size] / size
    cloud = (np.sin(5 * yy + rng.uniform(0, 6)) * np.cos(4 * xx + rng.uniform(0, 6)) > 0.3).astype(float)
    return ground + 0.6 * cloud + 0.02 * rng.standard_normal((len(BANDS), size, size)), cloud


def write(path, n, size, seed):
    rng = np.random.default_rng(seed)
    pairs = [make_scene(size, rng) for _ in range(n)]
    np.savez(path, toa=np.stack([p[0] for p in pairs]).astype("float32"),
             mask=np.stack([p[1] for p in pairs]).astype("float32"))


def read(path):
    with np.load(path) as z:
        toa, mask = z["toa"], z["mask"]
    lo, hi = np.percentile(toa, [2, 98])
    toa = np.clip((toa - lo) / (hi - lo), 0, 1).astype("float32")
    return np.swapaxes(toa, 1, 2), mask[..., None]
