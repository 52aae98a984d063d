"""Rotary position encoding with grouped-query attention."""
import numpy as np
import tensorflow as tf

tf.random.set_seed(8)


def rotate(x, base=100.0):
    length, dim = x.shape[-2], x.shape[-1]
    freq = base ** (-tf.range(0, dim, 2, tf.float32) / dim)
    angle = tf.range(length, dtype=tf.float32)[:, None] * freq
    a, b = x[..., ::2], x[..., 1::2]
    return tf.concat([a * tf.cos(angle) - b * tf.sin(angle), a * tf.sin(angle) + b * tf.cos(angle)], axis=-1)


class GroupedAttention(tf.Module):
    def __init__(self, dim, heads, kv_heads):
        super().__init__()
        self.heads, self.kv_heads, self.size = heads, kv_heads, dim // heads
        self.wq = tf.Variable(tf.random.normal([dim, heads * self.size], stddev=0.2))
        self.wk = tf.Variable(tf.random.normal([dim, kv_heads * self.size], stddev=0.2))
        self.wv = tf.Variable(tf.random.normal([dim, kv_heads * self.size], stddev=0.2))

    def split(self, x, heads):
        return tf.transpose(tf.reshape(x, [x.shape[0], x.shape[1], heads, self.size]), [0, 2, 1, 3])

    def __call__(self, x):
        q = rotate(self.split(x @ self.wq, self.heads))
        k = rotate(self.split(x @ self.wk, self.kv_heads))
        v = self.split(x @ self.wv, self.kv_heads)
        weights = tf.nn.softmax(tf.einsum("bhqd,bhkd->bhqk", q, k) / self.size ** 0.5)
        return tf.einsum("bhqk,bhkd->bqhd", weights, v)


x = tf.constant(np.random.default_rng(8).normal(size=(2, 7, 24)), tf.float32)
for kv_heads in (6, 3):
    y = GroupedAttention(24, heads=6, kv_heads=kv_heads)(x)
    print("kv heads", kv_heads, "->", y.shape)
