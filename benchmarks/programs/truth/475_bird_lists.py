"""Checklists of bird watchers: every list has another length, one has none at all."""
import itertools
import random

import tensorflow as tf

SPECIES = ["wren", "robin", "jay", "kite", "heron", "swift", "dipper"]


def checklists(n, seed=1):
    r = random.Random(seed)
    for i in range(n):
        k = 0 if i == 4 else r.randint(1, len(SPECIES))
        yield r.sample(range(len(SPECIES)), k)


def ragged_batches(n, size):
    it = checklists(n)
    while True:
        rows = list(itertools.islice(it, size))
        if not rows:
            return
        yield tf.ragged.constant(rows, dtype=tf.int32, ragged_rank=1)


class CoOccurrence(tf.Module):
    def __init__(self):
        super().__init__()
        self.table = tf.Variable(tf.random.stateless_normal([len(SPECIES), 4], seed=[3, 9]))

    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32, ragged_rank=1)])
    def embed(self, lists):
        vec = tf.ragged.map_flat_values(tf.nn.embedding_lookup, self.table, lists)
        total = tf.reduce_sum(vec, axis=1)
        count = tf.cast(lists.row_lengths(), tf.float32)[:, None]
        return tf.math.divide_no_nan(total, count)


def main():
    net = CoOccurrence()
    rows = 0
    for batch in ragged_batches(11, 4):
        e = net.embed(batch)
        rows += int(e.shape[0])
        print("lengths", batch.row_lengths().numpy().tolist(), "-> embeddings", tuple(e.shape),
              "norms", [round(float(v), 2) for v in tf.norm(e, axis=1)])
    assert rows == 11
    empty = tf.RaggedTensor.from_row_splits(tf.zeros([0], tf.int32), [0])
    print("no list at all ->", tuple(net.embed(empty).shape))


main()
