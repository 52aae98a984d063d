import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

N_OBS = 2_500_000
harmonics = 3


def tracks(n):
    g = np.random.default_rng(6)
    t = np.sort(g.uniform(0, 10, n)).astype("float32")
    ssh = 0.003 * t + 0.05 * np.cos(2 * np.pi * t) + g.normal(0, 0.03, n)
    sigma = g.uniform(0.02, 0.05, n)
    return t, ssh.astype("float32"), (1 / sigma ** 2).astype("float32")


def basis(t):
    cols = [tf.ones_like(t), t]
    for k in range(1, harmonics + 1):
        cols += [tf.cos(2 * np.pi * k * t), tf.sin(2 * np.pi * k * t)]
    return tf.stack(cols, axis=1)


@tf.function(jit_compile=True)
def weighted_fit(t, y, w):
    A = basis(t)
    W = tf.linalg.diag(w)
    normal = tf.matmul(A, tf.matmul(W, A), transpose_a=True)
    rhs = tf.matmul(A, tf.matmul(W, y[:, None]), transpose_a=True)
    return tf.linalg.solve(normal, rhs)[:, 0]


t, ssh, w = tracks(N_OBS)
x = weighted_fit(tf.constant(t), tf.constant(ssh), tf.constant(w))
print("trend [mm/yr]: %.2f" % (1000 * float(x[1])))
