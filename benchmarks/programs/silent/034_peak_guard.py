import numpy as np
import tensorflow as tf

CHANNELS, LENGTH = 6, 200


def recording(seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 1, (CHANNELS, LENGTH)) * np.arange(1, CHANNELS + 1)[:, None]
    x[2, 40:60] = np.nan
    x[4, 7] = np.nan
    return x.astype("float32")


def replace_missing(x):
    return tf.where(tf.math.is_nan(x), tf.zeros_like(x), x)


@tf.function(jit_compile=True)
def channel_power(x):
    peak = tf.reduce_max(tf.abs(x), axis=1)
    usable = tf.math.is_finite(peak)
    power = tf.reduce_mean(tf.square(replace_missing(x)), axis=1)
    return tf.where(usable, power, tf.zeros_like(power)), tf.reduce_sum(tf.cast(usable, tf.int32))


def montage(power, used):
    return float(tf.reduce_sum(power)) / max(int(used), 1)


x = recording()
power, used = channel_power(tf.constant(x))
print("channels used:", int(used))
print("mean band power: %.3f" % montage(power, used))
