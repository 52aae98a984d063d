"""Compare two sets of optimizer options of TensorFlow on a Monte Carlo kernel."""
import time
import numpy as np
import tensorflow as tf

PATHS, STEPS = 2000, 16
OPTIONS = {"constant_folding": True, "layout_optimizer": False}


def configure(autojit):
    tf.config.optimizer.set_experimental_options(OPTIONS)
    if autojit:
        tf.config.optimizer.set_jit("autoclustering")


@tf.function
def asian_option(normals, spot, strike, sigma):
    dt = 1.0 / STEPS
    increments = sigma * tf.sqrt(dt) * normals - 0.5 * sigma ** 2 * dt
    path = spot * tf.exp(tf.cumsum(increments, axis=1))
    return tf.reduce_mean(tf.maximum(tf.reduce_mean(path, axis=1) - strike, 0.0))


def main():
    configure(autojit=True)
    normals = tf.constant(np.random.default_rng(7).normal(size=(PATHS, STEPS)), tf.float32)
    arguments = [tf.constant(v) for v in (100.0, 100.0, 0.2)]
    asian_option(normals, *arguments)
    start = time.perf_counter()
    for _ in range(20):
        price = asian_option(normals, *arguments)
    print("price", round(float(price), 2), "faster than 10 s:", time.perf_counter() - start < 10)
    print("jit requested:", tf.config.optimizer.get_jit())


main()
