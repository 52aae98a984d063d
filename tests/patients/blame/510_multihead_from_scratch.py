import argparse
import tensorflow as tf


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--d-model", type=int, default=64)
    p.add_argument("--heads", type=int, default=6)
    p.add_argument("--layers", type=int, default=2)
    p.add_argument("--vocab", type=int, default=50)
    p.add_argument("--seq", type=int, default=12)
    p.add_argument("--batch", type=int, default=8)
    return p.parse_args([])


class SelfAttention(tf.keras.layers.Layer):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.depth = d_model // heads
        self.q = tf.keras.layers.Dense(d_model)
        self.k = tf.keras.layers.Dense(d_model)
        self.v = tf.keras.layers.Dense(d_model)
        self.o = tf.keras.layers.Dense(d_model)

    def split(self, x):
        n, t = tf.shape(x)[0], tf.shape(x)[1]
        x = tf.reshape(x, (n, t, self.heads, self.depth))
        return tf.transpose(x, [0, 2, 1, 3])

    def call(self, x):
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        w = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / self.depth ** 0.5)
        y = tf.transpose(tf.matmul(w, v), [0, 2, 1, 3])
        y = tf.reshape(y, (tf.shape(x)[0], tf.shape(x)[1], self.heads * self.depth))
        return self.o(y)


class Block(tf.keras.layers.Layer):
    def __init__(self, d_model, heads):
        super().__init__()
        self.att = SelfAttention(d_model, heads)
        self.ffn = tf.keras.Sequential([tf.keras.layers.Dense(d_model * 2, activation="relu"),
                                        tf.keras.layers.Dense(d_model)])
        self.n1 = tf.keras.layers.LayerNormalization()
        self.n2 = tf.keras.layers.LayerNormalization()

    def call(self, x):
        x = self.n1(x + self.att(x))
        return self.n2(x + self.ffn(x))


def main():
    a = parse()
    emb = tf.keras.layers.Embedding(a.vocab, a.d_model)
    blocks = [Block(a.d_model, a.heads) for _ in range(a.layers)]
    head = tf.keras.layers.Dense(a.vocab)
    ids = tf.random.uniform((a.batch, a.seq), 0, a.vocab, dtype=tf.int32)
    h = emb(ids)
    for blk in blocks:
        h = blk(h)
    logits = head(h)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=ids, logits=logits))
    print("loss", float(loss))


if __name__ == "__main__":
    main()
