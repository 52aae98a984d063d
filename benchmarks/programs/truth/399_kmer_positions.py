"""Promoter strength from k-mers of ragged length, with a vector for each place in the read."""
from dataclasses import dataclass

import numpy as np
import tensorflow as tf

BASES = "ACGT"


@dataclass
class Kmers:
    k: int = 4
    step: int = 1
    longest: int = 64
    width: int = 8

    def places(self, lengths):
        return (lengths - self.k) // self.step

    @property
    def vocab(self):
        return len(BASES) ** self.k

    def number(self, word):
        n = 0
        for b in word:
            n = n * len(BASES) + BASES.index(b)
        return n

    def split(self, read):
        return [self.number(read[i:i + self.k]) for i in range(0, len(read) - self.k + 1, self.step)]


class Promoter(tf.Module):
    def __init__(self, kmers, seed=8):
        super().__init__()
        g = tf.random.Generator.from_seed(seed)
        self.kmers = kmers
        self.word = tf.Variable(0.3 * g.normal([kmers.vocab, kmers.width]))
        self.place = tf.Variable(0.1 * g.normal([kmers.longest, kmers.width]))
        self.out = tf.Variable(0.3 * g.normal([kmers.width, 1]))

    def __call__(self, ids, lengths):
        where = tf.ragged.range(self.kmers.places(lengths))
        rows = tf.ragged.map_flat_values(tf.gather, self.word, ids)
        spots = tf.ragged.map_flat_values(tf.gather, self.place, where)
        mixed = tf.nn.relu(rows + spots)
        return tf.reduce_mean(mixed, axis=1) @ self.out


def reads(count, seed):
    rng = np.random.default_rng(seed)
    out = ["".join(rng.choice(list(BASES), rng.integers(9, 41))) for _ in range(count)]
    y = [[r.count("TA") / len(r)] for r in out]
    return out, tf.constant(y, tf.float32)


def main():
    kmers = Kmers()
    text, y = reads(40, seed=3)
    ids = tf.ragged.constant([kmers.split(r) for r in text], dtype=tf.int32)
    lengths = tf.constant([len(r) for r in text], tf.int32)
    net = Promoter(kmers)
    print("reads", len(text), "k-mers", ids.flat_values.shape[0])
    for epoch in range(10):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(net(ids, lengths) - y))
        for v, g in zip(net.trainable_variables, tape.gradient(loss, net.trainable_variables)):
            v.assign_sub(0.1 * tf.convert_to_tensor(g))
    print("loss", round(float(loss), 5))


if __name__ == "__main__":
    main()
