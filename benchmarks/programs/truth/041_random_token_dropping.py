"""Sequence classifier that drops a random number of tokens per step."""
import numpy as np
import tensorflow as tf

tf.random.set_seed(9)
VOCAB, LENGTH, DIM = 30, 12, 8


class TokenDropper(tf.Module):
    def __init__(self, low, high):
        super().__init__()
        self.low, self.high = low, high

    def __call__(self, tokens):
        n_drop = tf.random.uniform([], self.low, self.high, tf.int32)
        dropped = tf.zeros([tf.shape(tokens)[0], n_drop], tokens.dtype)
        return tf.concat([tokens[:, n_drop:], dropped], axis=1)


table = tf.Variable(tf.random.normal([VOCAB, DIM], stddev=0.1))
head = tf.Variable(tf.zeros([DIM, 2]))
dropper = TokenDropper(1, 5)


@tf.function(jit_compile=True)
def train_step(tokens, labels):
    with tf.GradientTape() as tape:
        embedded = tf.gather(table, dropper(tokens))
        logits = tf.reduce_mean(embedded, axis=1) @ head
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    g_table, g_head = tape.gradient(loss, [table, head])
    table.assign_sub(0.1 * tf.convert_to_tensor(g_table))
    head.assign_sub(0.1 * g_head)
    return loss


rng = np.random.default_rng(0)
tokens = tf.constant(rng.integers(1, VOCAB, (16, LENGTH)))
labels = tf.constant(rng.integers(0, 2, 16))
for _ in range(3):
    print(float(train_step(tokens, labels)))
