"""Next-item recommender on click sessions (SASRec-like, one block)."""
from dataclasses import dataclass

import numpy as np
import tensorflow as tf


@dataclass
class Hyper:
    items: int = 50
    dim: int = 16
    heads: int = 4
    session: int = 8
    batch: int = 6
    lr: float = 5e-3


class SelfAttention(tf.Module):
    def __init__(self, hp):
        super().__init__()
        self.hp = hp
        g = tf.random.Generator.from_seed(1)
        self.wqkv = tf.Variable(g.normal([hp.dim, 3 * hp.dim]) * 0.1)
        self.wo = tf.Variable(g.normal([hp.dim, hp.dim]) * 0.1)

    def heads(self, x):
        b, t = x.shape[0], x.shape[1]
        x = tf.reshape(x, [b, t, self.hp.heads, self.hp.dim // self.hp.heads])
        return tf.transpose(x, [0, 2, 1])

    def __call__(self, x):
        q, k, v = [self.heads(p) for p in tf.split(tf.tensordot(x, self.wqkv, 1), 3, axis=-1)]
        t = x.shape[1]
        causal = tf.linalg.band_part(tf.ones([t, t]), -1, 0)
        score = tf.matmul(q, k, transpose_b=True) / self.hp.dim ** 0.5
        att = tf.nn.softmax(score - 1e9 * (1.0 - causal))
        y = tf.einsum("bhij,bhjd->bihd", att, v)
        return x + tf.tensordot(tf.reshape(y, x.shape), self.wo, 1)


class Recommender(tf.Module):
    def __init__(self, hp):
        super().__init__()
        g = tf.random.Generator.from_seed(2)
        self.items = tf.Variable(g.normal([hp.items, hp.dim]) * 0.1)
        self.pos = tf.Variable(g.normal([hp.session, hp.dim]) * 0.1)
        self.att = SelfAttention(hp)

    def __call__(self, ids):
        x = tf.gather(self.items, ids) + self.pos
        return tf.tensordot(self.att(x), tf.transpose(self.items), 1)


hp = Hyper()
clicks = np.random.default_rng(0).integers(0, hp.items, (24, hp.session + 1)).astype("int32")
net, opt = Recommender(hp), tf.keras.optimizers.Adam(hp.lr)
for batch in tf.data.Dataset.from_tensor_slices(clicks).batch(hp.batch):
    with tf.GradientTape() as tape:
        ce = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=batch[:, 1:], logits=net(batch[:, :-1]))
        loss = tf.reduce_mean(ce)
    opt.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
    print(float(loss))
