"""Block bootstrap of a mean (stationary bootstrap with random block lengths), compiled."""
import numpy as np
import tensorflow as tf

N = 180
DRAWS = 40
SHORTEST, LONGEST = 4, 12


def ar1(n, rho, seed):
    rng = np.random.default_rng(seed)
    x = np.empty(n, np.float32)
    x[0] = rng.standard_normal()
    for i in range(1, n):
        x[i] = rho * x[i - 1] + rng.standard_normal()
    return x


def block_length():
    return tf.random.uniform([], SHORTEST, LONGEST, dtype=tf.int32)


def blocks(series, length):
    n_blocks = N // LONGEST
    starts = tf.random.uniform([n_blocks], 0, N - LONGEST, dtype=tf.int32)
    offsets = tf.range(length)
    return tf.gather(series, starts[:, None] + offsets[None, :])


@tf.function(jit_compile=True)
def resample(series):
    length = block_length()
    return tf.reduce_mean(blocks(series, length))


def interval(series, level=0.9):
    means = np.sort([float(resample(series)) for _ in range(DRAWS)])
    k = int(round((1 - level) / 2 * DRAWS))
    return means[k], means[-k - 1]


if __name__ == "__main__":
    tf.random.set_seed(14)
    for rho in (0.0, 0.5):
        x = tf.constant(ar1(N, rho, seed=int(10 * rho)))
        lo, hi = interval(x)
        print(f"rho {rho}: mean {float(tf.reduce_mean(x)):+.3f}  90% [{lo:+.3f}, {hi:+.3f}]")
