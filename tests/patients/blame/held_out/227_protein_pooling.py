import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import keras
from keras import layers, ops

AMINO = "ACDEFGHIKLMNPQRSTVWY"
MAX_RES = 40


def featurise(seqs):
    ids = np.zeros((len(seqs), MAX_RES), "int32")
    for row, s in zip(ids, seqs):
        row[:len(s)] = [AMINO.index(c) + 1 for c in s[:MAX_RES]]
    return ids


class PooledByHeads(layers.Layer):
    """Each learned query gives one weighted mean of the residues."""

    def __init__(self, heads, key_dim, **kwargs):
        super().__init__(**kwargs)
        self.heads = heads
        self.key_dim = key_dim
        self.keys = layers.Dense(heads * key_dim)
        self.values = layers.Dense(heads * key_dim)
        self.merge = layers.Reshape((heads * key_dim,))

    def build(self, shape):
        self.query = self.add_weight(shape=(self.heads, self.key_dim), name="query")
        super().build(shape)

    def _split(self, t):
        return ops.reshape(t, (-1, t.shape[1], self.heads, self.key_dim))

    def call(self, x, present):
        k, v = self._split(self.keys(x)), self._split(self.values(x))
        score = ops.einsum("hd,brhd->bhr", self.query, k) / self.key_dim**0.5
        score = score + (1.0 - present[:, None, :]) * -1e9
        share = ops.softmax(score, axis=-1)
        return self.merge(ops.einsum("bhr,bhrd->bhd", share, v))


class Solubility(keras.Model):
    def __init__(self):
        super().__init__()
        self.embed = layers.Embedding(len(AMINO) + 1, 16)
        self.conv = layers.Conv1D(16, 5, padding="same", activation="relu")
        self.pool = PooledByHeads(4, 6)
        self.out = layers.Dense(1, activation="sigmoid")

    def call(self, ids):
        present = ops.cast(ids > 0, "float32")
        return self.out(self.pool(self.conv(self.embed(ids)), present))


rng = np.random.default_rng(20)
seqs = ["".join(rng.choice(list(AMINO), rng.integers(15, 50))) for _ in range(40)]
y = np.array([sum(c in "DEKR" for c in s) / len(s) > 0.2 for s in seqs], "float32")

net = Solubility()
net.compile(optimizer="adam", loss="binary_crossentropy", jit_compile=False)
net.fit(featurise(seqs), y, batch_size=10, epochs=1, verbose=0)
print(net.predict(featurise(seqs[:3]), verbose=0).ravel())
