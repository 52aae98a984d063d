"""Filtered back projection with a learnt filter, under XLA."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(26)
ANGLES, WIDTH = 12, 32


def rotate_rows(sinogram):
    """Shift each projection by its angle; SciPy does the interpolation."""
    from scipy.ndimage import shift

    out = np.empty_like(sinogram)
    for a in range(sinogram.shape[1]):
        out[:, a] = shift(sinogram[:, a], (0, 0.1 * a), order=1)
    return out


class BackProjection(keras.layers.Layer):
    def build(self, shape):
        self.filter = self.add_weight(shape=(5, 1, 1), initializer="glorot_uniform", name="filter")

    def call(self, x):
        flat = tf.reshape(x, (-1, WIDTH, 1))
        flat = tf.nn.conv1d(flat, self.filter, 1, "SAME")
        x = tf.reshape(flat, (-1, ANGLES, WIDTH))
        moved = tf.numpy_function(rotate_rows, [tf.stop_gradient(x)], tf.float32)
        moved = tf.ensure_shape(moved, (None, ANGLES, WIDTH))
        return tf.reduce_mean(x + moved, axis=1)

    def compute_output_shape(self, shape):
        return (shape[0], WIDTH)


sino = np.random.default_rng(26).random((96, ANGLES, WIDTH)).astype("float32")
truth = sino.mean(1)
model = keras.Sequential([keras.Input((ANGLES, WIDTH)), BackProjection(), keras.layers.Dense(WIDTH)])
model.compile(optimizer="adam", loss="mse", jit_compile=True)
model.fit(sino, truth, batch_size=24, epochs=2, verbose=2)
print(model.predict(sino[:5]).shape)
