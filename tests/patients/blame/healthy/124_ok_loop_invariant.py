import numpy as np
import tensorflow as tf

tf.random.set_seed(116)


@tf.function
def fibonacci_words(n):
    words = tf.constant([[0, 1]])
    i = tf.constant(0)
    while i < n:
        tf.autograph.experimental.set_loop_options(
            shape_invariants=[(words, tf.TensorShape([None, 2]))])
        last = words[-1]
        nxt = tf.stack([last[1], last[0] + last[1]])
        words = tf.concat([words, nxt[None]], axis=0)
        i += 1
    return words


@tf.function(jit_compile=True)
def ratios(words):
    a = tf.cast(words[:, 0], tf.float32)
    b = tf.cast(words[:, 1], tf.float32)
    return tf.math.divide_no_nan(b, a)


table = fibonacci_words(tf.constant(12))
r = ratios(table)
assert r.shape == (13,)
print(np.round(r.numpy()[-3:], 4))
