import os
import numpy as np
import tensorflow as tf

# The vector form needs one pass instead of a loop; same returns.
VECTOR_RETURNS = os.environ.get("VECTOR_RETURNS", "1") != "0"
GAMMA = 0.9


@tf.function
def loop_returns(reward):
    n = reward.shape[0]
    out, run = [], tf.constant(0.0)
    for i in reversed(range(n)):
        run = reward[i] + GAMMA * run
        out.append(run)
    return tf.stack(out[::-1])


@tf.function(jit_compile=True)
def vector_returns(reward):
    t = tf.cast(tf.range(reward.shape[0]), tf.float32)
    scaled = reward * GAMMA ** t
    return tf.cumsum(scaled, reverse=True) / GAMMA ** t


def returns(reward):
    return vector_returns(reward) if VECTOR_RETURNS else loop_returns(reward)


def episodes(n=6, steps=20, seed=0):
    rng = np.random.default_rng(seed)
    return rng.binomial(1, np.linspace(0.1, 0.9, n)[:, None], (n, steps)).astype("float32")


def baseline(table):
    return np.mean([returns(tf.constant(r)).numpy()[0] for r in table])


table = episodes()
first = returns(tf.constant(table[-1])).numpy()
print("returns of the best episode:", first[:4].round(3).tolist())
print("baseline %.4f" % baseline(table))
print("value of always winning %.3f" % returns(tf.ones(60)).numpy()[0])
