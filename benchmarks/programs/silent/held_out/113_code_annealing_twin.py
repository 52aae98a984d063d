"""Compress rows to a noisy code; the weight of the code cost grows by epoch."""
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(43)
rng = np.random.default_rng(43)
ROWS, WIDE, CODE = 256, 8, 2

basis = rng.normal(0, 1, (CODE, WIDE))
rows = (rng.normal(0, 1, (ROWS, CODE)) @ basis).astype("float32")

enc = tf.keras.layers.Dense(2 * CODE)
dec = tf.keras.layers.Dense(WIDE)
enc.build((None, WIDE))
dec.build((None, CODE))
weights = enc.trainable_variables + dec.trainable_variables

RAMP = 10.0
START_RATE = 0.05


@tf.function(jit_compile=True)
def train_step(batch, noise, clock):
    share = tf.minimum(1.0, clock / RAMP)
    rate = START_RATE * tf.pow(0.98, clock)
    with tf.GradientTape() as tape:
        mean, logvar = tf.split(enc(batch), 2, axis=1)
        code = mean + tf.exp(0.5 * logvar) * noise
        misfit = tf.reduce_mean(tf.reduce_sum(tf.square(dec(code) - batch), axis=1))
        cost = 0.5 * tf.reduce_mean(
            tf.reduce_sum(tf.exp(logvar) + tf.square(mean) - 1.0 - logvar, axis=1))
        loss = misfit + share * cost
    for var, grad in zip(weights, tape.gradient(loss, weights)):
        var.assign_sub(rate * 0.2 * grad)
    return misfit, cost


for epoch in range(20):
    order = rng.permutation(ROWS)
    clock = tf.constant(float(epoch))
    for pick in np.split(order, 8):
        noise = rng.normal(0, 1, (len(pick), CODE)).astype("float32")
        misfit, cost = train_step(rows[pick], noise, clock)

mean, logvar = np.split(enc(rows).numpy(), 2, axis=1)
print(f"last misfit {float(misfit):.3f} last code cost {float(cost):.3f}")
print(f"code variance {np.exp(logvar).mean():.4f}")
print(f"code spread {(mean.var(axis=0) + np.exp(logvar).mean(axis=0)).mean():.3f}")
