"""Peptide scoring with one trace per bucket of lengths."""
import logging

import numpy as np
import tensorflow as tf

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
log = logging.getLogger("buckets")

AMINO = 20
BUCKETS = [6, 9, 12, 17, 23, 31, 40]


class Scorer(tf.Module):
    def __init__(self, width=12, seed=3):
        super().__init__()
        g = tf.random.Generator.from_seed(seed)
        self.emb = tf.Variable(0.1 * g.normal([AMINO + 1, width]), name="emb")
        self.w = tf.Variable(0.1 * g.normal([3, width, width]), name="w")
        self.v = tf.Variable(0.1 * g.normal([width]), name="v")
        self.traces = 0

    @tf.function
    def __call__(self, ids):
        self.traces += 1
        log.info("tracing for width %s", ids.shape[1])
        x = tf.gather(self.emb, ids)
        keep = tf.cast(ids > 0, tf.float32)[..., None]
        h = tf.nn.relu(tf.nn.conv1d(x * keep, self.w, 1, "SAME")) * keep
        pooled = tf.reduce_sum(h, 1) / tf.maximum(tf.reduce_sum(keep, 1), 1.0)
        return tf.linalg.matvec(pooled, self.v)


def bucket_of(n):
    return next(b for b in BUCKETS if n <= b)


def peptides(rng, count):
    for _ in range(count):
        yield rng.integers(1, AMINO + 1, rng.integers(4, 41))


def main():
    rng = np.random.default_rng(0)
    held = {b: [] for b in BUCKETS}
    for p in peptides(rng, 180):
        b = bucket_of(len(p))
        held[b].append(np.pad(p, (0, b - len(p))))
    net = Scorer()
    total, sizes = 0.0, []
    for b, rows in held.items():
        batch = tf.constant(np.stack(rows[: 4 * (len(rows) // 4)]), tf.int32)
        for _ in range(2):
            s = net(batch)
        total += float(tf.reduce_sum(s))
        sizes.append(tuple(batch.shape))
    log.info("batches %s", sizes)
    assert net.traces == len(BUCKETS)
    print("traces", net.traces, "for", len(BUCKETS), "buckets; sum of scores", round(total, 4))


if __name__ == "__main__":
    main()
