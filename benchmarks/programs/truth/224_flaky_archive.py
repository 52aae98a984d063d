import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import random
import sys
import time
import traceback

import numpy as np
import tensorflow as tf


class Archive:
    """Stands for a tape archive over a bad line: most requests need two or three tries."""

    def __init__(self, seed):
        self.rnd = random.Random(seed)
        self.requests = 0

    def fetch(self, block):
        self.requests += 1
        dice = self.rnd.random()
        if dice < 0.25:
            raise tf.errors.UnavailableError(None, None, f"Socket closed while reading block {block}")
        if dice < 0.40:
            raise tf.errors.DataLossError(None, None, f"corrupted record at {4096 * block}")
        if dice < 0.45:
            raise MemoryError("OOM: cannot allocate receive buffer")
        g = np.random.default_rng(block)
        return g.normal(block % 4, 1.0, (32, 6)).astype("float32")


def with_retries(call, *args, attempts=12, pause=0.001):
    for attempt in range(1, attempts + 1):
        try:
            return call(*args)
        except (tf.errors.OpError, MemoryError) as problem:
            print(f"attempt {attempt} failed: {type(problem).__name__}", file=sys.stderr)
            if attempt == 3:
                traceback.print_exc()
            if attempt == attempts:
                raise
            time.sleep(pause * 2 ** min(attempt, 4))


@tf.function(jit_compile=True)
def update_centres(points, centres):
    d = tf.reduce_sum((points[:, None] - centres[None]) ** 2, axis=-1)
    member = tf.one_hot(tf.argmin(d, axis=1), centres.shape[0])
    n = tf.reduce_sum(member, axis=0)
    means = tf.linalg.matmul(member, points, transpose_a=True) / tf.maximum(n, 1.0)[:, None]
    return tf.where(n[:, None] > 0, 0.9 * centres + 0.1 * means, centres)


archive = Archive(seed=2)
centres = tf.constant(np.random.default_rng(0).normal(1.5, 1.0, (4, 6)), tf.float32)
for block in range(24):
    centres = update_centres(tf.constant(with_retries(archive.fetch, block)), centres)
print("blocks 24, requests", archive.requests)
print("centres", np.sort(centres.numpy().mean(axis=1)).round(2))
