"""Recover freight rates per zone (zones are numbered from 1) from invoices."""
import numpy as np
import tensorflow as tf

rng = np.random.default_rng(31)
ZONES, INVOICES = 6, 480

true_rate = np.array([1.2, 1.9, 2.4, 3.3, 4.1, 6.0], dtype="float32")
zone = rng.integers(1, ZONES + 1, INVOICES).astype("int32")
weight = rng.uniform(0.5, 2.0, INVOICES).astype("float32")
invoice = true_rate[zone - 1] * weight + rng.normal(0, 0.05, INVOICES).astype("float32")

rate = tf.Variable(tf.fill([ZONES], 2.0))
fee = tf.Variable(0.0)


def cost(zones, weights):
    per_kilo = tf.gather(rate, zones)
    return per_kilo * weights + fee


@tf.function(jit_compile=True)
def descend(zones, weights, amounts, speed):
    with tf.GradientTape() as tape:
        miss = cost(zones, weights) - amounts
        loss = tf.reduce_mean(tf.square(miss))
    d_rate, d_fee = tape.gradient(loss, [rate, fee])
    rate.assign_sub(speed * tf.convert_to_tensor(d_rate))
    fee.assign_sub(speed * d_fee)
    return loss


batches = tf.data.Dataset.from_tensor_slices((zone, weight, invoice)).batch(96)
for epoch in range(40):
    for z, w, a in batches.shuffle(5, seed=epoch):
        loss = descend(z, w, a, tf.constant(0.4))


@tf.function(jit_compile=True)
def quote(zones, weights):
    return cost(zones, weights)


kilo = quote(tf.range(1, ZONES + 1), tf.ones([ZONES])).numpy()
print(f"loss {float(loss):.4f}")
print("price of one kilo by zone:", np.round(kilo, 2))
print("contract:                 ", np.round(true_rate, 2))
