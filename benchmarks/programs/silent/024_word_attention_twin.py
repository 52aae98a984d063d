import numpy as np
import keras
from keras import layers, ops

VOCAB, LENGTH = 60, 10


class WordAttention(layers.Layer):
    def __init__(self, hidden=8, **kw):
        super().__init__(**kw)
        self.key = layers.Dense(hidden, activation="tanh")
        self.query = layers.Dense(1, use_bias=False)

    def call(self, words):
        score = ops.squeeze(self.query(self.key(words)), -1)
        weight = ops.softmax(score, axis=1)
        return ops.einsum("bt,btd->bd", weight, words)


def reviews(n, seed):
    rng = np.random.default_rng(seed)
    tokens = rng.integers(10, VOCAB, (n, LENGTH))
    label = rng.integers(0, 2, n)
    at = rng.integers(0, LENGTH, n)
    tokens[np.arange(n), at] = np.where(label == 1, rng.integers(0, 5, n), rng.integers(5, 10, n))
    return tokens.astype("int32"), label.astype("float32")[:, None]


def build():
    inp = keras.Input((LENGTH,), dtype="int32")
    emb = layers.Embedding(VOCAB, 12)(inp)
    doc = WordAttention()(emb)
    return keras.Model(inp, layers.Dense(1, activation="sigmoid")(doc))


keras.utils.set_random_seed(24)
x, y = reviews(256, 0)
xt, yt = reviews(64, 1)
model = build()
model.compile(optimizer=keras.optimizers.Adam(0.02), loss="binary_crossentropy", metrics=["accuracy"])
model.fit(x, y, epochs=6, batch_size=64, verbose=0)
together = model.predict(xt, batch_size=64, verbose=0)
print("mean score of positives %.4f" % together[yt == 1].mean())
print("mean score of negatives %.4f" % together[yt == 0].mean())
