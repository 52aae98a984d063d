"""Nearest-neighbour features for LiDAR scans, with a batch size that adapts to the memory.

The distance matrix of a big batch does not fit; the helper halves the batch until it does.
"""
import gc

import numpy as np
import tensorflow as tf

SCANS = 48
POINTS = 96
K = 8
FIRST_GUESS = 1 << 22  # what the big server takes


def scans(seed=0):
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 2, SCANS)
    p = rng.normal(size=(SCANS, POINTS, 3))
    p /= np.linalg.norm(p, axis=-1, keepdims=True)  # kind 0: a shell
    p[kind == 1] *= rng.random((int((kind == 1).sum()), POINTS, 1)) ** (1 / 3)  # kind 1: a full ball
    return p.astype("float32"), kind.astype("int32")


class OutOfMemory(Exception):
    pass


def reserve(batch):
    """Workspace for a batch of pairwise distances (float32)."""
    try:
        return np.empty((batch, POINTS * 64, POINTS * 64), np.float32)
    except MemoryError as e:
        raise OutOfMemory(f"batch {batch}: {e}") from e


def largest_batch(first, last=1):
    batch, tries = first, 0
    while batch >= last:
        try:
            work = reserve(batch)
        except OutOfMemory as e:
            tries += 1
            print(f"[retry {tries}] OOM error: {e}")
            batch //= 64
            continue
        del work
        gc.collect()
        return batch, tries
    raise RuntimeError("not even one scan fits")


@tf.function(reduce_retracing=True)
def neighbour_features(p):
    d = tf.norm(p[:, :, None] - p[:, None] + 1e-6, axis=-1)
    near = -tf.math.top_k(-d, K + 1).values[..., 1:]
    return tf.concat([tf.reduce_mean(near, -1), tf.norm(p, axis=-1)], axis=-1)


def features(p, batch):
    parts = [neighbour_features(tf.constant(p[k : k + batch])) for k in range(0, len(p), batch)]
    return tf.concat(parts, axis=0).numpy()


def main():
    tf.keras.utils.set_random_seed(0)
    p, kind = scans()
    batch, failures = largest_batch(FIRST_GUESS)
    batch = min(batch, 20)
    print(f"{failures} allocations failed; going on with batches of {batch}")

    x = np.sort(features(p, batch).reshape(SCANS, 2, POINTS), axis=-1).reshape(SCANS, -1)
    cut = 36
    model = tf.keras.Sequential([
        tf.keras.Input((x.shape[1],)),
        tf.keras.layers.Dense(16, activation="relu"),
        tf.keras.layers.Dropout(0.3),
        tf.keras.layers.Dense(1),
    ])
    model.compile(tf.keras.optimizers.Adam(0.01), tf.keras.losses.BinaryCrossentropy(from_logits=True), metrics=[
        tf.keras.metrics.BinaryAccuracy(threshold=0.0, name="acc")])
    model.fit(x[:cut], kind[:cut, None], epochs=40, batch_size=12, verbose=0)
    print("held-out:", model.evaluate(x[cut:], kind[cut:, None], verbose=0, return_dict=True))


if __name__ == "__main__":
    main()
