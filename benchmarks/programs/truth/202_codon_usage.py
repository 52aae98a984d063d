import os
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import itertools
import numpy as np
import tensorflow as tf

BASES = "ACGT"
codons = ["".join(c) for c in itertools.product(BASES, repeat=3)]
weights = np.random.default_rng(5).uniform(0.02, 1.0, size=len(codons)).astype(np.float32)


class CodonScorer(tf.Module):
    """Codon adaptation index of a batch of genes, codons given as base-4 numbers."""

    def __init__(self, weights):
        super().__init__()
        keys = tf.range(len(weights), dtype=tf.int64)
        self.table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(keys, tf.math.log(weights)), default_value=0.0)
        self.bias = tf.Variable(0.0)

    @tf.function(jit_compile=True)
    def __call__(self, genes, lengths):
        logw = self.table.lookup(genes)
        mask = tf.sequence_mask(lengths, maxlen=genes.shape[1], dtype=tf.float32)
        total = tf.reduce_sum(logw * mask, axis=1)
        return tf.exp(total / tf.cast(lengths, tf.float32)) + self.bias


def simulate(n, longest):
    r = np.random.default_rng(1)
    genes = r.integers(0, 64, size=(n, longest))
    lengths = r.integers(longest // 2, longest + 1, size=n)
    return tf.constant(genes, tf.int64), tf.constant(lengths, tf.int32)


if __name__ == "__main__":
    genes, lengths = simulate(32, 150)
    scorer = CodonScorer(weights)
    cai = scorer(genes, lengths)
    order = np.argsort(-cai.numpy())
    for g in order[:5]:
        print(f"gene {g:3d}  length {int(lengths[g]):4d}  CAI {float(cai[g]):.3f}")
