import numpy as np
import tensorflow as tf
import keras
from keras import layers

keras.utils.set_random_seed(16)


class SelfAttention(layers.Layer):
    def __init__(self, dim, heads, **kw):
        super().__init__(**kw)
        self.scale = (dim // heads) ** -0.5
        self.query = layers.Dense(dim, use_bias=False)
        self.key = layers.Dense(heads, use_bias=False)
        self.value = layers.Dense(dim, use_bias=False)
        self.norm = layers.LayerNormalization()

    def call(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = tf.matmul(q, k, transpose_b=True) * self.scale
        weights = tf.nn.softmax(scores, axis=-1)
        return self.norm(tf.matmul(weights, v))


def sentiment_model(vocab, length, dim=24):
    ids = keras.Input((length,), dtype="int32")
    x = layers.Embedding(vocab, dim)(ids)
    x = SelfAttention(dim, heads=3, name="attend")(x)
    x = layers.GlobalMaxPooling1D()(x)
    return keras.Model(ids, layers.Dense(1, activation="sigmoid")(x))


rng = np.random.default_rng(16)
reviews = rng.integers(0, 90, (64, 10))
polarity = (reviews.sum(axis=1) > 450).astype("float32")

model = sentiment_model(90, 10)
model.compile(loss="binary_crossentropy", optimizer="adam", metrics=["accuracy"])
model.fit(reviews, polarity, epochs=2, batch_size=16, verbose=0)
