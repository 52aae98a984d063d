import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import tensorflow as tf
import numpy as np

PAD = 0
VOCAB = 120
D_MODEL = 32
HEADS = 4
LEN = 14


def padding_mask(tokens):
    pad = tf.cast(tf.equal(tokens, PAD), tf.float32)
    return pad[:, tf.newaxis, :]


def attend(q, k, v, mask=None):
    depth = tf.cast(tf.shape(k)[-1], tf.float32)
    logits = tf.matmul(q, k, transpose_b=True) / tf.sqrt(depth)
    if mask is not None:
        logits += mask * -1e9
    weights = tf.nn.softmax(logits, axis=-1)
    return tf.matmul(weights, v)


class SelfAttention(tf.keras.layers.Layer):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads, self.depth = heads, d_model // heads
        self.qkv = tf.keras.layers.Dense(3 * d_model)
        self.out = tf.keras.layers.Dense(d_model)

    def split(self, x):
        x = tf.reshape(x, (tf.shape(x)[0], tf.shape(x)[1], self.heads, self.depth))
        return tf.transpose(x, [0, 2, 1, 3])

    def call(self, x, pad=None):
        q, k, v = (self.split(t) for t in tf.split(self.qkv(x), 3, axis=-1))
        y = tf.transpose(attend(q, k, v, pad), [0, 2, 1, 3])
        return self.out(tf.reshape(y, tf.shape(x)))


class QueryEncoder(tf.keras.Model):
    def __init__(self, n_layers=2):
        super().__init__()
        self.tok = tf.keras.layers.Embedding(VOCAB, D_MODEL)
        self.pos = tf.keras.layers.Embedding(LEN, D_MODEL)
        self.att = [SelfAttention(D_MODEL, HEADS) for _ in range(n_layers)]
        self.norm = [tf.keras.layers.LayerNormalization() for _ in range(n_layers)]
        self.intent = tf.keras.layers.Dense(7)

    def call(self, tokens):
        pad = padding_mask(tokens)
        x = self.tok(tokens) + self.pos(tf.range(LEN))
        for att, norm in zip(self.att, self.norm):
            x = norm(x + att(x, pad=pad))
        return self.intent(x[:, 0])


r = np.random.default_rng(5)
lengths = r.integers(4, LEN, 60)
tokens = np.where(np.arange(LEN) < lengths[:, None], r.integers(1, VOCAB, (60, LEN)), PAD)
intent = r.integers(0, 7, 60)

enc = QueryEncoder()
enc.compile(
    optimizer="adam",
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
)
enc.fit(tokens, intent, batch_size=12, epochs=2, verbose=2)
