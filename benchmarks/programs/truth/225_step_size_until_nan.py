# How large may the step be? Doubled until the loss is no number any more; half a decade below is used.
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

tf.random.set_seed(11)
np.random.seed(11)
X = np.random.normal(size=(200, 12)).astype(np.float32)
beta = np.random.normal(size=(12, 1)).astype(np.float32)
y = np.exp(0.3 * X @ beta) + np.random.normal(scale=0.05, size=(200, 1)).astype(np.float32)
Xt, yt = tf.constant(X), tf.constant(y.astype(np.float32))


def fresh():
    return [tf.Variable(tf.random.normal([12, 16], stddev=0.3, seed=4)), tf.Variable(tf.zeros([16])),
            tf.Variable(tf.random.normal([16, 1], stddev=0.3, seed=5))]


def loss_of(params):
    w1, b1, w2 = params
    return tf.reduce_mean((tf.exp(tf.tanh(Xt @ w1 + b1) @ w2) - yt) ** 2)


def run(rate, steps):
    params = fresh()

    @tf.function(jit_compile=True)
    def descend():
        with tf.GradientTape() as tape:
            loss = loss_of(params)
        for p, g in zip(params, tape.gradient(loss, params)):
            p.assign_sub(rate * g)
        return loss

    return [float(descend()) for _ in range(steps)]


rate, last_good = 1e-2, None
while True:
    curve = run(rate, 25)
    end = curve[-1]
    print(f"rate {rate:9.4f}   first {curve[0]:.4g}   last {end:.4g}")
    if np.isnan(end):
        print("loss is nan: stop the search")
        break
    if end < curve[0]:
        last_good = rate
    rate *= 4

chosen = last_good / 10 ** 0.5
final = run(chosen, 60)
print(f"chosen rate {chosen:.4f}: {final[0]:.4f} -> {final[-1]:.4f}")
assert np.isfinite(final).all() and final[-1] < final[0]
