"""Largest tile of a scan that divides it evenly; falls back tile by tile."""
import logging
import sys

import numpy as np
import tensorflow as tf

logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname)s: %(message)s")
log = logging.getLogger("tiles")


@tf.function
def tiles(scan, side):
    h, w = tf.shape(scan)[0], tf.shape(scan)[1]
    grid = tf.reshape(scan, [h // side, side, w // side, side])
    return tf.reshape(tf.transpose(grid, [0, 2, 1, 3]), [-1, side * side])


def largest(scan, wanted):
    for side in wanted:
        try:
            found = tiles(scan, tf.constant(side))
        except tf.errors.InvalidArgumentError:
            log.exception("side %d does not fit a scan of %s, trying the next", side, scan.shape)
            continue
        return side, found
    raise SystemExit("no side fits")


def contrast(rows):
    mean, var = tf.nn.moments(rows, axes=[1])
    return tf.sqrt(var) / (tf.abs(mean) + 1e-3)


def main():
    rng = np.random.default_rng(2)
    chosen = {}
    for name, shape in {"liver": (96, 72), "lung": (140, 100), "bone": (63, 45)}.items():
        scan = tf.constant(rng.gamma(2.0, size=shape).astype("float32"))
        side, rows = largest(scan, [32, 24, 20, 9])
        c = contrast(rows)
        chosen[name] = side
        print(f"{name}: side {side}, {rows.shape[0]} tiles, contrast {float(tf.reduce_mean(c)):.3f}")
    assert chosen == {"liver": 24, "lung": 20, "bone": 9}
    print("done", chosen)


if __name__ == "__main__":
    main()
