"""Train from an object store that times out now and then; each read is retried."""
import logging
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import tensorflow as tf

logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
log = logging.getLogger("store")


class StoreTimeout(IOError):
    pass


class Store:
    """Shards of pollen counts; roughly every fourth read fails, one shard is truncated."""

    def __init__(self, shards=8, rows=96):
        self.shards, self.rows = shards, rows
        self.rnd = random.Random(4)

    def read(self, i):
        if self.rnd.random() < 0.3:
            raise StoreTimeout(f"GET shard-{i:03d}: read timed out")
        rng = np.random.default_rng(i)
        x = rng.normal(size=(self.rows, 6)).astype("float32")
        y = (x @ rng.normal(1, 0.1, 6) > 0).astype("float32")
        buf = np.concatenate([x.ravel(), y])
        return buf[:-50] if i == 5 else buf


def parse(buf, rows):
    # raises InvalidArgumentError for a truncated shard
    table = tf.reshape(buf[: rows * 6], (rows, 6))
    label = tf.reshape(buf[rows * 6:], (rows,))
    return table, label


def with_retry(fn, *args, tries=6, wait=0.01):
    for k in range(1, tries + 1):
        try:
            return fn(*args)
        except StoreTimeout:
            if k == tries:
                raise
            log.warning("attempt %d of %d failed", k, tries, exc_info=True)
            time.sleep(wait * k)


def load_all(store):
    good, bad = [], []
    with ThreadPoolExecutor(1) as pool:
        bufs = list(pool.map(lambda i: with_retry(store.read, i), range(store.shards)))
    for i, buf in enumerate(bufs):
        try:
            good.append(parse(buf, store.rows))
        except tf.errors.InvalidArgumentError:
            log.exception("shard-%03d is truncated, skipped (quota: 1 of %d)", i, store.shards)
            bad.append(i)
    if len(bad) > 1:
        raise RuntimeError(f"too many bad shards: {bad}")
    return good, bad


def main():
    good, bad = load_all(Store())
    x = tf.concat([g[0] for g in good], 0)
    y = tf.concat([g[1] for g in good], 0)
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.Input((6,)), tf.keras.layers.Dense(16, "relu"), tf.keras.layers.Dense(1)])
    model.compile("adam", tf.keras.losses.BinaryCrossentropy(from_logits=True))
    h = model.fit(x, y, epochs=5, verbose=0, batch_size=32)
    print("rows", x.shape[0], "skipped shards", bad)
    print("loss", [round(v, 3) for v in h.history["loss"]])


if __name__ == "__main__":
    main()
