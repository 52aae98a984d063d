import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf
import keras

vocab_sizes = [30, 12, 50, 8]   # site, device, advertiser, hour bucket
num_numeric = 5
emb_dim = 8


class PairwiseDots(keras.layers.Layer):
    """Dot products between all feature vectors, flattened."""

    def __init__(self, n_vectors, **kwargs):
        super().__init__(**kwargs)
        rows, cols = np.tril_indices(n_vectors)
        self.flat = (rows * n_vectors + cols).astype("int32")
        self.n = n_vectors

    def call(self, vectors):
        gram = tf.matmul(vectors, vectors, transpose_b=True)
        gram = tf.reshape(gram, (-1, self.n * self.n))
        return tf.gather(gram, self.flat, axis=1)


class Top(keras.layers.Layer):
    def __init__(self, n_in, n_hidden):
        super().__init__()
        self.w1 = self.add_weight(shape=(n_in, n_hidden), name="w1")
        self.b1 = self.add_weight(shape=(n_hidden,), initializer="zeros", name="b1")
        self.w2 = self.add_weight(shape=(n_hidden, 1), name="w2")

    def call(self, x):
        h = tf.nn.relu(x @ self.w1 + self.b1)
        return tf.sigmoid(h @ self.w2)


class ClickModel(keras.Model):
    def __init__(self):
        super().__init__()
        n = len(vocab_sizes) + 1
        self.tables = [keras.layers.Embedding(v, emb_dim) for v in vocab_sizes]
        self.bottom = keras.Sequential([keras.layers.Dense(16, "relu"), keras.layers.Dense(emb_dim)])
        self.dots = PairwiseDots(n)
        self.top = Top(emb_dim + n * (n - 1) // 2, 16)

    def call(self, inputs):
        dense = self.bottom(inputs["numeric"])
        ids = tf.unstack(inputs["ids"], axis=1)
        vecs = tf.stack([dense] + [t(i) for t, i in zip(self.tables, ids)], axis=1)
        return self.top(tf.concat([dense, self.dots(vecs)], axis=1))


r = np.random.default_rng(4)
N = 160
table = {
    "numeric": r.lognormal(size=(N, num_numeric)).astype("float32"),
    "ids": np.stack([r.integers(0, v, N) for v in vocab_sizes], 1).astype("int32"),
}
clicked = (r.random((N, 1)) < 0.2).astype("float32")

m = ClickModel()
m.compile(optimizer="adagrad", loss="binary_crossentropy", metrics=[keras.metrics.AUC()])
m.fit(table, clicked, batch_size=40, epochs=1, verbose=0)
print(m.evaluate(table, clicked, verbose=0))
