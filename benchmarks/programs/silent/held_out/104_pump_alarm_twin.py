"""Autoencoder alarms for pumps, scored in fixed-size compiled blocks."""
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(5)
rng = np.random.default_rng(5)
FEATURES, BLOCK = 6, 32

mix = rng.normal(0, 1, (2, FEATURES))


def readings(n):
    hidden = rng.normal(2.0, 1.0, (n, 2))
    return (hidden @ mix + rng.normal(0, 0.3, (n, FEATURES))).astype("float32")


normal = readings(256)
live = readings(36)
live[::9] += rng.normal(0, 3.0, (4, FEATURES)).astype("float32")

auto = tf.keras.Sequential([
    tf.keras.Input((FEATURES,)),
    tf.keras.layers.Dense(2, use_bias=False),
    tf.keras.layers.Dense(FEATURES, use_bias=False),
])
auto.compile(optimizer=tf.keras.optimizers.Adam(0.03), loss="mse")
auto.fit(normal, normal, epochs=16, batch_size=BLOCK, verbose=0)


@tf.function(jit_compile=True, input_signature=[tf.TensorSpec((BLOCK, FEATURES), tf.float32)])
def block_error(rows):
    return tf.reduce_mean(tf.square(auto(rows, training=False) - rows), axis=1)


def score(rows):
    missing = -len(rows) % BLOCK
    full = np.pad(rows, ((0, missing), (0, 0)))
    chunks = [block_error(full[i:i + BLOCK]).numpy() for i in range(0, len(full), BLOCK)]
    return np.concatenate(chunks)[:len(rows)]


errors = score(live)
usual = np.median(errors)
width = np.median(np.abs(errors - usual))
alarms = np.flatnonzero(errors > usual + 5.0 * width)
print("readings:", len(live))
print(f"typical error {usual:.4f}, width {width:.4f}")
print(f"mean error {errors.mean():.4f}")
print("alarm share:", round(len(alarms) / len(live), 3))
