import numpy as np
import tensorflow as tf
import keras
from keras import layers

keras.utils.set_random_seed(52)
MAX_LEN, VOCAB, DIM, HEADS = 12, 35, 16, 2


def look_ahead_mask(size):
    return tf.linalg.band_part(tf.ones((size, size)), -1, 0)


causal = look_ahead_mask(MAX_LEN)


class CausalAttention(layers.Layer):
    def __init__(self):
        super().__init__()
        self.qkv = layers.Dense(3 * DIM)
        self.out = layers.Dense(DIM)

    def split(self, x):
        b, t = tf.shape(x)[0], x.shape[1]
        return tf.transpose(tf.reshape(x, (b, t, HEADS, DIM // HEADS)), (0, 2, 1, 3))

    def call(self, x, mask=None):
        q, k, v = [self.split(p) for p in tf.split(self.qkv(x), 3, axis=-1)]
        logits = tf.matmul(q, k, transpose_b=True)
        logits += (1.0 - mask) * -1e9
        ctx = tf.transpose(tf.matmul(tf.nn.softmax(logits), v), (0, 2, 1, 3))
        return self.out(tf.reshape(ctx, (-1, x.shape[1], DIM)))


class MiniGPT(keras.Model):
    def __init__(self):
        super().__init__()
        self.embed = layers.Embedding(VOCAB, DIM)
        self.attn = CausalAttention()
        self.norm = layers.LayerNormalization()
        self.head = layers.Dense(VOCAB)

    def call(self, ids):
        x = self.embed(ids)
        return self.head(self.norm(x + self.attn(x, mask=causal)))


tunes = np.random.default_rng(52).integers(0, VOCAB, (36, MAX_LEN))
gpt = MiniGPT()
gpt.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
gpt.fit(tunes[:, :-1], tunes[:, 1:], batch_size=12, epochs=1, verbose=0)
print(gpt(tunes[:1, :-1]).shape)
