"""Encoder for ledger entries: amounts in buckets, sinusoidal positions, fraud flag."""
import keras
import numpy as np
import tensorflow as tf
from keras import layers

CONFIG = {
    "policy": "mixed_bfloat16",
    "buckets": 60,
    "length": 24,
    "width": 32,
    "heads": 4,
    "position": {"base": 10000.0, "dtype": "float32"},
}


def sinusoids(length, width, base):
    pos = np.arange(length)[:, None]
    freq = base ** (-np.arange(0, width, 2) / width)
    return np.concatenate([np.sin(pos * freq), np.cos(pos * freq)], axis=1)


class EntryEmbedding(layers.Layer):
    def __init__(self, cfg, **kw):
        super().__init__(**kw)
        self.embed = layers.Embedding(cfg["buckets"], cfg["width"])
        p = cfg["position"]
        self.table = tf.constant(sinusoids(cfg["length"], cfg["width"], p["base"]), p["dtype"])

    def call(self, ids):
        rows = self.embed(ids)
        return rows + self.table[None, : ids.shape[1]]


class Block(layers.Layer):
    def __init__(self, width, heads, **kw):
        super().__init__(**kw)
        self.att = layers.MultiHeadAttention(heads, width // heads)
        self.norm = [layers.LayerNormalization(), layers.LayerNormalization()]
        self.ff = keras.Sequential([layers.Dense(2 * width, activation="gelu"), layers.Dense(width)])

    def call(self, x):
        x = self.norm[0](x + self.att(x, x))
        return self.norm[1](x + self.ff(x))


class FraudModel(keras.Model):
    def __init__(self, cfg, **kw):
        super().__init__(**kw)
        self.entry = EntryEmbedding(cfg)
        self.block = Block(cfg["width"], cfg["heads"])
        self.flag = layers.Dense(1, dtype="float32")

    def call(self, ids):
        return self.flag(tf.reduce_mean(self.block(self.entry(ids)), axis=1))


def main():
    keras.utils.set_random_seed(9)
    keras.mixed_precision.set_global_policy(CONFIG["policy"])
    rng = np.random.default_rng(0)
    ids = rng.integers(0, CONFIG["buckets"], (128, CONFIG["length"]))
    flag = (ids.max(1) > 57).astype("float32")[:, None]
    model = FraudModel(CONFIG)
    model.compile("adam", keras.losses.BinaryCrossentropy(from_logits=True))
    hist = model.fit(ids, flag, batch_size=32, epochs=2, verbose=0)
    print("loss", np.round(hist.history["loss"], 3).tolist())


if __name__ == "__main__":
    main()
