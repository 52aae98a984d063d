"""Greedy decoding of a toy character model."""
import numpy as np
import tensorflow as tf

rng = np.random.default_rng(14)
CHARS = "abcdefgh "
EMB = tf.constant(rng.normal(size=(len(CHARS), 6)), tf.float32)
OUT = tf.constant(rng.normal(size=(6, len(CHARS))), tf.float32)


def next_logits(tokens):
    context = tf.reduce_mean(tf.gather(EMB, tokens), axis=1)
    return tf.tanh(context) @ OUT


@tf.function(jit_compile=True)
def decode(prompt):
    def keep_going(i, tokens):
        return i < 6

    def append(i, tokens):
        new = tf.argmax(next_logits(tokens), axis=-1, output_type=tf.int32)
        return i + 1, tf.concat([tokens, new[:, None]], axis=1)

    _, tokens = tf.while_loop(
        keep_going, append, [tf.constant(0), prompt],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([prompt.shape[0], None])],
    )
    return tokens


def text(ids):
    return "".join(CHARS[i] for i in ids)


prompt = tf.constant([[0, 3], [5, 1]], tf.int32)
for row in decode(prompt).numpy():
    print(repr(text(row)))
