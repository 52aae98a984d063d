import tensorflow as tf
from settings import MAX_LEN


class Block(tf.keras.layers.Layer):
    def __init__(self, dim):
        super().__init__()
        self.att = tf.keras.layers.MultiHeadAttention(num_heads=2, key_dim=dim // 2)
        self.ff = tf.keras.layers.Dense(dim, activation="gelu")
        self.na = tf.keras.layers.LayerNormalization()
        self.nf = tf.keras.layers.LayerNormalization()

    def call(self, x):
        x = self.na(x + self.att(x, x))
        return self.nf(x + self.ff(x))


class Encoder(tf.keras.layers.Layer):
    def __init__(self, vocab, dim, depth):
        super().__init__()
        self.words = tf.keras.layers.Embedding(vocab, dim)
        self.positions = self.add_weight(shape=(MAX_LEN, dim), initializer="normal", name="positions")
        self.blocks = [Block(dim) for _ in range(depth)]

    def call(self, ids):
        x = self.words(ids) + self.positions
        for block in self.blocks:
            x = block(x)
        return x
