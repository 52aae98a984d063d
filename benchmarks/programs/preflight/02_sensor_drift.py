"""Drift correction for a sensor array: each window is (48 steps x 6 sensors)."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

BATCH = 32
STEPS, SENSORS = 48, 6

tf.random.set_seed(0)
np.random.seed(0)


class SensorMixer(keras.layers.Layer):
    """Mixes the sensors of each time step with a learnt matrix."""

    def build(self, input_shape):
        self.w = self.add_weight(shape=(SENSORS, SENSORS), initializer="glorot_uniform", name="w")

    def call(self, x):
        flat = tf.reshape(x, (BATCH * STEPS, SENSORS))
        mixed = tf.matmul(flat, self.w)
        return tf.reshape(mixed, (BATCH, STEPS, SENSORS))

    def compute_output_shape(self, shape):
        return shape


def make_data(n):
    t = np.linspace(0, 1, STEPS)[None, :, None]
    drift = np.random.randn(n, 1, SENSORS) * t
    signal = np.sin(2 * np.pi * t * np.random.uniform(1, 4, (n, 1, SENSORS)))
    return (signal + drift).astype(np.float32), drift[:, -1].astype(np.float32)


def main():
    x, y = make_data(200)
    ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(200, seed=1).batch(BATCH).prefetch(2)
    inputs = keras.Input((STEPS, SENSORS))
    h = SensorMixer()(inputs)
    h = keras.layers.Conv1D(8, 5, activation="relu")(h)
    h = keras.layers.GlobalAveragePooling1D()(h)
    model = keras.Model(inputs, keras.layers.Dense(SENSORS)(h))
    model.compile("adam", "mse")
    model.fit(ds, epochs=3, verbose=2)
    model.save("drift.keras")


if __name__ == "__main__":
    main()
