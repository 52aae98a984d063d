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
    return fold_or(tf.bitwise.left_shift(one, items))[:, None]


def popcount(words):
    return np.array([sum(bin(int(w) & 0xFFFFFFFF).count("1") for w in row) for row in words])


def overlap(words, a, b):
    return sum(bin(int(x) & int(y) & 0xFFFFFFFF).count("1") for x, y in zip(words[a], words[b]))


words = encode(tf.constant(baskets())).numpy()
print("mean number of items per basket %.3f" % popcount(words).mean())
print("overlap of neighbours:", [overlap(words, i, i + 1) for i in range(8)])
