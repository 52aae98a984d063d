"""Soil moisture interpolation: kernel weights from every map cell to every station reading."""
import numpy as np
import tensorflow as tf


class Site:
    def __init__(self, cells, stations, days, seed=0):
        rng = np.random.default_rng(seed)
        self.cells = cells
        gy, gx = np.meshgrid(np.linspace(0, 1, cells), np.linspace(0, 1, cells), indexing="ij")
        slope = np.sin(3 * gx) * gy
        self.map = np.stack([gy, gx, slope], -1).astype("float32")
        self.where = rng.uniform(0, 1, (stations, 3)).astype("float32")
        self.readings = rng.uniform(0.1, 0.4, (days, stations)).astype("float32")


def standardise(a):
    flat = a.reshape(-1, a.shape[-1])
    return (flat - flat.mean(0)) / (flat.std(0) + 1e-6)


def samples(site):
    """One row per station and day: place and the value read."""
    days = len(site.readings)
    place = np.tile(site.where, (days, 1))
    return place, site.readings.reshape(-1)


def squared_gap(a, b):
    return tf.reduce_sum(tf.square(a[:, None, :] - b[None, :, :]), axis=-1)


def weights(queries, places, bandwidth):
    gap = squared_gap(queries, places)
    return tf.nn.softmax(-gap / (2.0 * bandwidth ** 2), axis=-1)


def interpolate(site, bandwidth):
    places, values = samples(site)
    queries = tf.constant(standardise(site.map))
    places = tf.constant(standardise(places))
    w = weights(queries, places, bandwidth)
    field = tf.linalg.matvec(w, tf.constant(values))
    return tf.reshape(field, [site.cells, site.cells])


def describe(name, site):
    rows = site.cells ** 2
    print(f"{name}: {rows} cells, {site.readings.size} readings")


def leave_one_out(site, bandwidth):
    places = tf.constant(standardise(site.where))
    values = tf.constant(site.readings.mean(0))
    w = weights(places, places, bandwidth)
    w = tf.linalg.set_diag(w, tf.zeros(len(values)))
    w /= tf.reduce_sum(w, -1, keepdims=True)
    return float(tf.reduce_mean(tf.abs(tf.linalg.matvec(w, values) - values)))


def main():
    pilot = Site(cells=12, stations=20, days=3)
    describe("pilot", pilot)
    options = [0.2, 0.5, 1.0]
    scores = {h: leave_one_out(pilot, h) for h in options}
    best = min(scores, key=scores.get)
    print("bandwidth", best, "from", {h: round(s, 4) for h, s in scores.items()})
    print("pilot mean", round(float(tf.reduce_mean(interpolate(pilot, best))), 4))

    region = Site(cells=1500, stations=400, days=730)
    describe("region", region)
    field = interpolate(region, best)
    print("region mean", round(float(tf.reduce_mean(field)), 4))


if __name__ == "__main__":
    main()
