import numpy as np
import tensorflow as tf

WINDOW = 16
HOP = 16


def recordings(n=64, length=96, seed=3):
    rng = np.random.default_rng(seed)
    t = np.arange(length) / 50.0
    freq = rng.uniform(1, 12, (n, 1))
    amp = np.linspace(0.1, 3.0, n)[:, None]
    return (amp * np.sin(2 * np.pi * freq * t) + 0.01 * rng.normal(size=(n, length))).astype("float32")


@tf.function(input_signature=[tf.TensorSpec([None, 96], tf.float32)])
def window_energy(x):
    frames = tf.signal.frame(x, WINDOW, HOP, axis=0)
    energy = tf.reduce_mean(tf.square(frames), axis=1)
    return tf.math.log(energy + 1e-6)


@tf.function
def crest(logs):
    return tf.reduce_max(logs, axis=1) - tf.reduce_min(logs, axis=1)


x = recordings()
logs = window_energy(tf.constant(x))
spread = crest(logs).numpy()
quiet = logs.numpy().mean(axis=1)
print("median log energy   %.3f" % np.median(quiet))
print("quietest recording  %.3f" % quiet.min())
print("largest crest       %.3f" % spread.max())
