import numpy as np
import tensorflow as tf

STATES = ["idle", "busy", "error", "off"]


def count_transitions(seed=0, n=400):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(4), size=4)
    s, counts = 0, np.zeros((4, 4))
    for _ in range(n):
        nxt = rng.choice(4, p=p[s])
        counts[s, nxt] += 1
        s = nxt
    return counts


def as_matrix(counts):
    return (counts / counts.sum(axis=0, keepdims=True)).astype("float32")


@tf.function(jit_compile=True)
def occupation(matrix, start, steps=20):
    rows = tf.reduce_sum(matrix, axis=1)
    tf.debugging.assert_near(rows, tf.ones_like(rows), atol=1e-3)
    p = start
    for _ in range(steps):
        p = tf.linalg.matvec(matrix, p, transpose_a=True)
    return p


counts = count_transitions()
start = tf.constant([1.0, 0.0, 0.0, 0.0])
p = occupation(tf.constant(as_matrix(counts)), start).numpy()
for name, value in zip(STATES, p):
    print("%-6s %.4f" % (name, value))
print("expected cost per hour: %.3f" % float(p @ np.array([0.5, 2.0, 9.0, 0.0])))
