"""Attention over the atoms of padded molecules: predicts a (synthetic) boiling point.

Padding never takes part: its attention logits are set to -1e9, its rows in the max pooling to -inf,
and the mean is taken over the atoms that exist.
"""
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, losses, optimizers

ELEMENTS = {"pad": 0, "H": 1, "C": 2, "N": 3, "O": 4, "Cl": 5}
MAX_ATOMS = 18
NEG = -1e9


def molecules(n, seed):
    rng = np.random.default_rng(seed)
    atoms = np.zeros((n, MAX_ATOMS), "int32")
    xyz = np.zeros((n, MAX_ATOMS, 3), "float32")
    target = np.zeros((n,), "float32")
    for i in range(n):
        k = int(rng.integers(3, MAX_ATOMS + 1))
        atoms[i, :k] = rng.choice(5, k, p=[0.45, 0.35, 0.08, 0.09, 0.03]) + 1
        xyz[i, :k] = rng.normal(0, 1.2, (k, 3))
        heavy = (atoms[i] > 1).sum()
        polar = np.isin(atoms[i], (3, 4)).sum()
        target[i] = -60 + 22 * np.sqrt(heavy) * 2 + 12 * polar + rng.normal(0, 4)
    return (atoms, xyz), target[:, None]


class AtomAttention(layers.Layer):
    def __init__(self, width, heads=2, **kw):
        super().__init__(**kw)
        self.width, self.heads = width, heads
        self.qkv = layers.Dense(3 * width, use_bias=False)
        self.out = layers.Dense(width)
        self.ln = layers.LayerNormalization()

    def call(self, h, dist, present):
        q, k, v = [self.cut(t) for t in tf.split(self.qkv(h), 3, axis=-1)]
        logits = tf.matmul(q, k, transpose_b=True) / (self.width / self.heads) ** 0.5
        logits -= dist[:, None]
        logits += tf.where(present, 0.0, NEG)[:, None, None, :]
        mix = tf.matmul(tf.nn.softmax(logits, axis=-1), v)
        mix = tf.reshape(tf.transpose(mix, [0, 2, 1, 3]), [-1, MAX_ATOMS, self.width])
        return self.ln(h + self.out(mix))

    def cut(self, t):
        t = tf.reshape(t, [-1, MAX_ATOMS, self.heads, self.width // self.heads])
        return tf.transpose(t, [0, 2, 1, 3])


class MolNet(tf.keras.Model):
    def __init__(self, width=24):
        super().__init__()
        self.atom = layers.Embedding(len(ELEMENTS), width)
        self.blocks = [AtomAttention(width), AtomAttention(width)]
        self.drop = layers.Dropout(0.1)
        self.head = layers.Dense(1)

    def call(self, inputs, training=False):
        atoms, xyz = inputs
        present = atoms > 0
        diff = xyz[:, :, None] - xyz[:, None]
        dist = tf.sqrt(tf.reduce_sum(diff * diff, -1) + 1e-6)
        h = self.atom(atoms)
        for b in self.blocks:
            h = b(h, dist=dist, present=present)
        m = tf.cast(present, h.dtype)[..., None]
        mean = tf.reduce_sum(h * m, 1) / tf.reduce_sum(m, 1)
        top = tf.reduce_max(tf.where(present[..., None], h, -np.inf), axis=1)
        size = tf.reduce_sum(m, 1) / MAX_ATOMS
        return self.head(self.drop(tf.concat([mean, top, mean * size], -1), training=training))


def main():
    tf.keras.utils.set_random_seed(0)
    x, y = molecules(900, 0)
    vx, vy = molecules(200, 1)
    mu, sd = y.mean(), y.std()

    net = MolNet()
    net.compile(optimizers.Adam(3e-3), losses.Huber(), metrics=["mae"], jit_compile=True)
    net.fit(x, (y - mu) / sd, batch_size=30, epochs=5, verbose=2,
            validation_data=(vx, (vy - mu) / sd))

    pred = net.predict(vx, batch_size=50, verbose=0) * sd + mu
    print("nan or inf in predictions:", int((~np.isfinite(pred)).sum()))
    print(f"mean absolute error {np.abs(pred - vy).mean():.1f} K (spread of the data {sd:.1f} K)")

    # atoms beyond the end must not matter
    (atoms, xyz) = vx
    noise = np.where((atoms == 0)[..., None], 50.0, xyz).astype("float32")
    shift = np.abs(net.predict((atoms, noise), batch_size=50, verbose=0) * sd + mu - pred).max()
    print(f"largest change when the padding moves: {shift:.2e} K")
    if shift > 1e-2:
        raise RuntimeError("padding leaks into the result")


if __name__ == "__main__":
    main()
