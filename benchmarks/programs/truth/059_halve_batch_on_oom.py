"""Score a long list, halving the batch whenever memory is short."""
import numpy as np
import tensorflow as tf


class MemoryBudget:
    """Stands for a device with little memory."""

    def __init__(self, elements):
        self.elements = elements

    def take(self, shape):
        wanted = int(np.prod(shape))
        if wanted > self.elements:
            raise tf.errors.ResourceExhaustedError(None, None, f"OOM when allocating tensor with shape{list(shape)}")


def score(rows, weights, budget):
    budget.take((len(rows), len(rows), rows.shape[1]))
    centred = rows[:, None, :] - rows[None, :, :]
    return tf.reduce_mean(tf.abs(centred) @ weights, axis=1)


def score_all(rows, weights, budget, batch):
    while True:
        try:
            parts = [score(rows[i:i + batch], weights, budget) for i in range(0, len(rows), batch)]
            return tf.concat(parts, 0), batch
        except tf.errors.ResourceExhaustedError as error:
            print("retry with a smaller batch after:", error.message)
            batch //= 2


rows = tf.constant(np.random.default_rng(0).normal(size=(256, 4)), tf.float32)
weights = tf.ones([4, 1])
scores, batch = score_all(rows, weights, MemoryBudget(20_000), batch=256)
print("batch", batch, "scores", scores.shape, float(tf.reduce_mean(scores)))
