import numpy as np
import tensorflow as tf
import keras
from keras import layers

keras.utils.set_random_seed(126)


class GATBlock(layers.Layer):
    def __init__(self, dim, heads=4):
        super().__init__()
        self.heads = heads
        self.head_dim = 8
        self.proj = layers.Dense(self.heads * self.head_dim, use_bias=False)
        self.attn = layers.Dense(1)
        self.norm = layers.LayerNormalization()

    def call(self, h, adj):
        n = h.shape[1]
        z = tf.reshape(self.proj(h), (-1, n, self.heads, self.head_dim))
        score = tf.nn.leaky_relu(self.attn(z))[..., 0]
        logits = score[:, :, None, :] + score[:, None, :, :]
        logits += (1.0 - adj[..., None]) * -1e9
        alpha = tf.nn.softmax(logits, axis=2)
        out = tf.einsum("bijh,bjhd->bihd", alpha, z)
        out = tf.reshape(out, (-1, n, self.heads * self.head_dim))
        return self.norm(h + out)


class MoleculeNet(keras.Model):
    def __init__(self, dim=24):
        super().__init__()
        self.embed = layers.Embedding(10, dim)
        self.blocks = [GATBlock(dim) for _ in range(2)]
        self.out = layers.Dense(1)

    def call(self, inputs):
        atoms, adj = inputs
        h = self.embed(atoms)
        for block in self.blocks:
            h = block(h, adj)
        return self.out(tf.reduce_mean(h, axis=1))


rng = np.random.default_rng(126)
atoms = rng.integers(0, 10, (20, 9))
adj = (rng.random((20, 9, 9)) < 0.3).astype("float32")
adj = np.clip(adj + adj.transpose(0, 2, 1) + np.eye(9, dtype="float32"), 0, 1)
energy = rng.normal(size=(20, 1)).astype("float32")

net = MoleculeNet()
net.compile("adam", "mse")
net.fit((atoms, adj), energy, batch_size=5, epochs=1, verbose=0)
