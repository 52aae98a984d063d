import numpy as np
import tensorflow as tf
import keras
from keras import layers

USERS, ITEMS = 25, 40


class Factors(keras.Model):
    def __init__(self, dim=4):
        super().__init__()
        self.user = layers.Embedding(USERS, dim, embeddings_initializer="random_normal")
        self.item = layers.Embedding(ITEMS, dim, embeddings_initializer="random_normal")
        self.item_bias = layers.Embedding(ITEMS, 1)

    def call(self, pair):
        u = self.user(pair[:, 0])
        v = self.item(pair[:, 1])
        dot = tf.einsum("bd,bd->b", u, v)
        return dot[:, None] + self.item_bias(pair[:, 1])


def ratings(n=600, seed=5):
    rng = np.random.default_rng(seed)
    p, q = rng.normal(size=(USERS, 2)), rng.normal(size=(ITEMS, 2))
    pair = np.stack([rng.integers(0, USERS, n), rng.integers(0, ITEMS, n)], 1)
    y = (p[pair[:, 0]] * q[pair[:, 1]]).sum(1)
    return pair.astype("int32"), y.astype("float32")[:, None]


keras.utils.set_random_seed(28)
pair, y = ratings()
model = Factors()
model.compile(optimizer=keras.optimizers.Adam(0.03), loss="mse")
model.fit(pair, y, epochs=25, batch_size=50, verbose=0)
mse = model.evaluate(pair, y, batch_size=50, verbose=0)
print("rating variance %.3f, remaining error %.3f" % (y.var(), mse))
