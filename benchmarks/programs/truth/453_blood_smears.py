# Evaluates one cell counter at the three magnifications of the microscope and at the
# size of the old camera.  Fully convolutional, so each size is one trace; that is fine.
import logging

import numpy as np
import tensorflow as tf

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
log = logging.getLogger("smears")

SIZES = {"10x": (32, 32), "20x": (48, 64), "40x": (64, 96), "old": (37, 53)}
traces = []


def smear(shape, cells, rng):
    h, w = shape
    yy, xx = np.mgrid[:h, :w]
    img = np.zeros(shape, np.float32)
    for _ in range(cells):
        y, x = rng.uniform(4, h - 4), rng.uniform(4, w - 4)
        img += np.exp(-((yy - y) ** 2 + (xx - x) ** 2) / 4.0)
    return img


class Counter(tf.Module):
    def __init__(self):
        super().__init__()
        ax = np.arange(-3, 4)
        k = np.exp(-(ax[:, None] ** 2 + ax[None] ** 2) / 4.0)
        self.kernel = tf.Variable((k / k.sum())[..., None, None].astype("float32"))
        self.scale = tf.Variable(1.0 / (4 * np.pi), dtype=tf.float32)

    @tf.function
    def density(self, img):
        traces.append(tuple(img.shape))
        return tf.nn.conv2d(img, self.kernel, 1, "SAME") * self.scale

    def count(self, img):
        return tf.reduce_sum(self.density(img), axis=[1, 2, 3])


if __name__ == "__main__":
    rng = np.random.default_rng(77)
    net = Counter()
    for _ in range(3):
        for name, shape in SIZES.items():
            n = int(rng.integers(3, 12))
            got = float(net.count(tf.constant(smear(shape, n, rng)[None, ..., None]))[0])
            log.info("%s: %d cells, counted %.2f, error %.2f", name, n, got, got - n)
    assert len(traces) == len(SIZES), traces
    log.info("traces: %s", traces)
