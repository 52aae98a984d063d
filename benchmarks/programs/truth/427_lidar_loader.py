"""Tree-height model from LiDAR plots; a background thread prepares the batches."""
import queue
import threading

import numpy as np
import tensorflow as tf

POINTS = 32
DONE = object()


def plot_cloud(rng, scanner):
    """One plot: POINTS echoes with x, y, z and, for the new scanner, the return number."""
    z = rng.weibull(2, POINTS) * rng.uniform(5, 25)
    xyz = np.column_stack([rng.uniform(-5, 5, (POINTS, 2)), z])
    if scanner == "vz":
        xyz = np.column_stack([xyz, rng.integers(1, 5, POINTS)])
    return xyz.astype("float32"), np.float32(np.percentile(z, 95))


class Survey:
    """Flight lines in the order they were flown; the scanner was replaced in between."""

    def __init__(self, plots=120, seed=41, swap=75):
        self.plots, self.swap = plots, swap
        self.rng = np.random.default_rng(seed)

    def __iter__(self):
        for i in range(self.plots):
            yield plot_cloud(self.rng, "ls" if i < self.swap else "vz")


class Loader(threading.Thread):
    def __init__(self, source, batch, depth=4):
        super().__init__(name="loader", daemon=True)
        self.source, self.batch = source, batch
        self.q = queue.Queue(depth)

    def run(self):
        try:
            clouds, heights = [], []
            for cloud, h in self.source:
                clouds.append(cloud)
                heights.append(h)
                if len(clouds) == self.batch:
                    self.q.put((tf.stack(clouds), tf.stack(heights)))
                    clouds, heights = [], []
        finally:
            self.q.put(DONE)

    def __iter__(self):
        while (item := self.q.get()) is not DONE:
            yield item


class PointNet(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.point = tf.keras.layers.Dense(24, "relu")
        self.out = tf.keras.layers.Dense(1)

    def call(self, cloud):
        return self.out(tf.reduce_max(self.point(cloud / 10.0), axis=1))[:, 0]


def main():
    tf.keras.utils.set_random_seed(1)
    survey = Survey()
    net, opt = PointNet(), tf.keras.optimizers.Adam(0.02)
    loader = Loader(survey, batch=10)
    loader.start()
    losses = []
    for clouds, heights in loader:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(net(clouds) - heights / 10.0))
        g = tape.gradient(loss, net.trainable_variables)
        opt.apply_gradients(zip(g, net.trainable_variables))
        losses.append(float(loss))
    loader.join()
    expected = survey.plots // loader.batch
    print("batches", len(losses), "last loss", round(losses[-1], 4))
    if len(losses) != expected:
        raise RuntimeError(f"the loader delivered {len(losses)} of {expected} batches")
    print("survey complete")


if __name__ == "__main__":
    main()
