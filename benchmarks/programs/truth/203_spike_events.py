# Threshold crossings of an extracellular trace, collected one after the other
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import tensorflow as tf
import numpy as np

FS = 2000
REFRACTORY = 6


def make_trace(seconds=0.1, seed=7):
    g = np.random.default_rng(seed)
    v = g.normal(0, 1, int(FS * seconds))
    for t0 in g.choice(len(v) - 10, 8, replace=False):
        v[t0:t0 + 4] += [-4, -9, -6, 3]
    return v.astype(np.float32)


@tf.function(jit_compile=True)
def detect(trace, threshold):
    events = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    last = tf.constant(-REFRACTORY)
    for i in tf.range(tf.shape(trace)[0]):
        crossing = trace[i] < threshold and i - last >= REFRACTORY
        if crossing:
            events = events.write(events.size(), i)
            last = i
    return events.stack()


trace = tf.constant(make_trace())
mad = np.median(np.abs(trace.numpy())) / 0.6745
times = detect(trace, tf.constant(-4.5 * mad, tf.float32))
print("spikes:", times.shape[0])
print("first times (ms):", (times[:5].numpy() / FS * 1000).round(1))
