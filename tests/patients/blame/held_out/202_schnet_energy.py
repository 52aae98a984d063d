import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf
from tensorflow import keras

nAtoms = 9
nSpecies = 4
nFilters = 16
nRbf = 12


class ContinuousFilter(keras.layers.Layer):
    def __init__(self, filters, n_rbf, r_max):
        super().__init__()
        self.centers = tf.constant(np.linspace(0.0, r_max, n_rbf), tf.float32)
        self.gamma = 10.0
        self.w1 = keras.layers.Dense(filters, activation="softplus")
        self.w2 = keras.layers.Dense(filters)
        self.inner = keras.layers.Dense(filters, use_bias=False)
        self.outer = keras.layers.Dense(filters, activation="softplus")

    def call(self, h, dist):
        rbf = tf.exp(-self.gamma * tf.square(dist[..., None] - self.centers))
        w = self.w2(self.w1(rbf))
        msg = tf.reduce_sum(self.inner(h)[:, None, :, :] * w, axis=2)
        return h + self.outer(msg)


class EnergyNet(keras.Model):
    def __init__(self, blocks=2):
        super().__init__()
        self.embed = keras.layers.Embedding(nSpecies + 1, nFilters)
        self.blocks = [ContinuousFilter(nFilters, nRbf, 6.0) for _ in range(blocks)]
        self.readout = keras.Sequential(
            [keras.layers.Dense(8, activation="tanh"), keras.layers.Dense(1)]
        )

    def pair_distances(self, pos):
        delta = pos[:, None] - pos[None]
        return tf.sqrt(tf.reduce_sum(delta * delta, axis=-1) + 1e-9)

    def call(self, inputs):
        z, pos = inputs
        d = self.pair_distances(pos)
        h = self.embed(z)
        for blk in self.blocks:
            h = blk(h, d)
        return tf.reduce_sum(self.readout(h), axis=1)


gen = np.random.default_rng(11)
Z = gen.integers(1, nSpecies + 1, (48, nAtoms)).astype("int32")
R = gen.normal(0, 1.8, (48, nAtoms, 3)).astype("float32")
E = (-0.4 * Z.sum(1) + 0.05 * np.abs(R).sum((1, 2))).astype("float32")

net = EnergyNet()
opt = keras.optimizers.Adam(1e-3)
for epoch in range(2):
    order = gen.permutation(len(Z))
    for lo in range(0, len(Z), 16):
        idx = order[lo:lo + 16]
        with tf.GradientTape() as tape:
            pred = net((Z[idx], R[idx]))
            loss = tf.reduce_mean(tf.square(pred[:, 0] - E[idx]))
        grads = tape.gradient(loss, net.trainable_variables)
        opt.apply_gradients(zip(grads, net.trainable_variables))
    print(epoch, float(loss))
