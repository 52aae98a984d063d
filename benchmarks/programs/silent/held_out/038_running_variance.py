import numpy as np
import tensorflow as tf

N = 10000


def pressure(seed=0, level=3000.0):
    return (np.random.RandomState(seed).rand(N) + level).astype("float32")


def spread(var):
    return tf.sqrt(tf.maximum(var, 0.0))


@tf.function(jit_compile=True)
def moments(x):
    mean = tf.reduce_mean(x)
    var = tf.reduce_mean(x * x) - mean * mean
    return mean, spread(var)


@tf.function(jit_compile=True)
def zscore(x, mean, std):
    return (x - mean) / (std + 1e-3)


def outliers(x, limit=3.0):
    mean, std = moments(tf.constant(x))
    z = zscore(tf.constant(x), mean, std).numpy()
    return float(mean), float(std), int((np.abs(z) > limit).sum())


for seed in range(3):
    mean, std, n = outliers(pressure(seed))
    print("mean %.2f std %.3f readings outside three sigma: %d" % (mean, std, n))
