"""Compare two staffing policies of a call queue on common random days."""
import numpy as np
import tensorflow as tf

DAYS, HOURS = 60, 12
profile = tf.constant(6.0 + 3.0 * np.sin(np.linspace(0, np.pi, HOURS)), tf.float32)


def arrivals():
    jitter = tf.random.stateless_normal([DAYS, HOURS], seed=[99, 0], stddev=3.0, alg="philox")
    return tf.maximum(profile + jitter, 0.0)


@tf.function(jit_compile=True)
def mean_wait(capacity):
    calls = arrivals()
    backlog = tf.zeros([DAYS])
    total = tf.zeros([DAYS])
    for hour in range(HOURS):
        backlog = tf.maximum(backlog + calls[:, hour] - capacity[hour], 0.0)
        total += backlog
    return tf.reduce_mean(total) / float(HOURS)


flat = np.full(HOURS, 8.6, dtype="float32")
policies = {
    "flat": flat,
    "flat plus": flat + 0.05,
    "flat plus plus": flat + 0.10,
}

delay = {}
for name, capacity in policies.items():
    tf.random.set_seed(99)
    delay[name] = float(mean_wait(tf.constant(capacity)))
    print(f"{name:15s} mean backlog {delay[name]:.4f}")

ranking = sorted(delay, key=delay.get)
gain = delay["flat"] - delay["flat plus"]
print("ranking:", " < ".join(ranking))
print(f"gain of 0.05 more capacity: {gain:.4f}")
