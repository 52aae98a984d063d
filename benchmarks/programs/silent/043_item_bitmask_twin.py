import numpy as np
import tensorflow as tf

ITEMS, BASKETS, SLOTS = 44, 30, 6


def baskets(seed=0):
    rng = np.random.default_rng(seed)
    return np.stack([rng.choice(ITEMS, SLOTS, replace=False) for _ in range(BASKETS)]).astype("int32")


def fold_or(bits):
    out = bits[:, 0]
    for k in range(1, SLOTS):
        out = tf.bitwise.bitwise_or(out, bits[:, k])
    return out


@tf.function(jit_compile=True)
def encode(items):
    one = tf.ones_like(items)
    low = tf.where(items < 30, tf.bitwise.left_shift(one, tf.minimum(items, 29)), 0)
    high = tf.where(items >= 30, tf.bitwise.left_shift(one, tf.maximum(items - 30, 0)), 0)
    return tf.stack([fold_or(low), fold_or(high)], axis=1)


def popcount(words):
    return np.array([sum(bin(int(w) & 0xFFFFFFFF).count("1") for w in row) for row in words])


def overlap(words, a, b):
    return sum(bin(int(x) & int(y) & 0xFFFFFFFF).count("1") for x, y in zip(words[a], words[b]))


words = encode(tf.constant(baskets())).numpy()
print("mean number of items per basket %.3f" % popcount(words).mean())
print("overlap of neighbours:", [overlap(words, i, i + 1) for i in range(8)])
