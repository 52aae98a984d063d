"""One vector per song from its chroma frames; nearest neighbours by cosine."""
import keras
import numpy as np
import tensorflow as tf
from keras import layers

CONFIG = {
    "songs": 20,
    "frames": 50,
    "chroma": 12,
    "width": 16,
    "pool": {"kind": "mean", "axis": 0},
    "neighbours": 3,
}

POOLS = {
    "mean": lambda h, axis: tf.reduce_mean(h, axis=axis),
    "max": lambda h, axis: tf.reduce_max(h, axis=axis),
}


def melodies(cfg, seed):
    rng = np.random.default_rng(seed)
    key = rng.integers(0, cfg["chroma"], cfg["songs"])
    note = (key[:, None] + rng.choice([0, 4, 7], (cfg["songs"], cfg["frames"]))) % cfg["chroma"]
    x = np.eye(cfg["chroma"])[note] + 0.1 * rng.uniform(size=(cfg["songs"], cfg["frames"], cfg["chroma"]))
    return x.astype("float32"), key


class FrameEncoder(keras.Model):
    def __init__(self, cfg, **kw):
        super().__init__(**kw)
        self.into = layers.Conv1D(cfg["width"], 5, padding="same", activation="relu")
        self.att = layers.MultiHeadAttention(2, cfg["width"] // 2)
        self.norm = layers.LayerNormalization()

    def call(self, x):
        h = self.into(x)
        return self.norm(h + self.att(h, h))


def vectors(encoder, x, cfg):
    pool = POOLS[cfg["pool"]["kind"]]

    @tf.function
    def embed(batch):
        v = pool(encoder(batch), cfg["pool"]["axis"])
        return tf.math.l2_normalize(v, axis=-1)

    return embed(tf.constant(x))


def neighbours(table, k):
    sim = tf.matmul(table, table, transpose_b=True)
    sim = tf.linalg.set_diag(sim, tf.fill([table.shape[0]], -1.0))
    return tf.math.top_k(sim, k).indices.numpy()


def main():
    keras.utils.set_random_seed(7)
    x, key = melodies(CONFIG, seed=3)
    table = vectors(FrameEncoder(CONFIG), x, CONFIG)
    near = neighbours(table, CONFIG["neighbours"])
    print("songs", x.shape, "table", tuple(table.shape))
    for i in range(4):
        print("song", i, "key", int(key[i]), "nearest", near[i].tolist())


if __name__ == "__main__":
    main()
