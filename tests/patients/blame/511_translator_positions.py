import numpy as np
import tensorflow as tf

CONFIG = {
    "vocab": 120,
    "d_model": 32,
    "num_heads": 2,
    "dff": 64,
    "seq_len": 48,
    "max_position": 40,
    "batch": 8,
}


def positional_encoding(length, depth):
    half = depth // 2
    pos = np.arange(length)[:, None]
    rates = 1 / (10000 ** (np.arange(half)[None, :] / half))
    rad = pos * rates
    table = np.concatenate([np.sin(rad), np.cos(rad)], axis=-1)
    return tf.constant(table[None], dtype=tf.float32)


class PositionalEmbedding(tf.keras.layers.Layer):
    def __init__(self, vocab, d_model, max_position):
        super().__init__()
        self.d_model = d_model
        self.emb = tf.keras.layers.Embedding(vocab, d_model)
        self.table = positional_encoding(max_position, d_model)

    def call(self, ids):
        n = tf.shape(ids)[1]
        x = self.emb(ids) * tf.math.sqrt(tf.cast(self.d_model, tf.float32))
        return x + self.table[:, :n, :]


class Encoder(tf.keras.Model):
    def __init__(self, cfg):
        super().__init__()
        self.pos = PositionalEmbedding(cfg["vocab"], cfg["d_model"], cfg["max_position"])
        self.att = tf.keras.layers.MultiHeadAttention(cfg["num_heads"], cfg["d_model"] // cfg["num_heads"])
        self.norm = tf.keras.layers.LayerNormalization()
        self.ffn = tf.keras.layers.Dense(cfg["dff"], activation="relu")
        self.out = tf.keras.layers.Dense(cfg["vocab"])

    def call(self, ids):
        x = self.pos(ids)
        x = self.norm(x + self.att(x, x))
        return self.out(self.ffn(x))


def sentences(cfg, count=24):
    rng = np.random.default_rng(3)
    seqs = [rng.integers(1, cfg["vocab"], rng.integers(5, 46)) for _ in range(count)]
    return tf.keras.utils.pad_sequences(seqs, maxlen=cfg["seq_len"], padding="post")


ids = sentences(CONFIG)
ds = tf.data.Dataset.from_tensor_slices((ids, ids)).batch(CONFIG["batch"])
model = Encoder(CONFIG)
model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(ds, epochs=1, verbose=2)
