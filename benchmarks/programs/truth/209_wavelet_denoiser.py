import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import tempfile
import numpy as np
import tensorflow as tf
import keras


def haar_matrix(n):
    h = np.array([[1.0]])
    while h.shape[0] < n:
        top = np.kron(h, [1, 1])
        bottom = np.kron(np.eye(h.shape[0]), [1, -1])
        h = np.vstack([top, bottom]) / np.sqrt(2)
    return h


@keras.saving.register_keras_serializable(package="denoise")
class HaarTransform(keras.layers.Layer):
    def __init__(self, matrix, inverse=False, **kwargs):
        super().__init__(**kwargs)
        self.matrix = tf.constant(matrix, tf.float32)
        self.inverse = inverse

    def call(self, x):
        return tf.matmul(x, self.matrix, transpose_b=not self.inverse)


@keras.saving.register_keras_serializable(package="denoise")
class SoftThreshold(keras.layers.Layer):
    def build(self, shape):
        self.theta = self.add_weight(shape=(shape[-1],), initializer="zeros", name="theta")

    def call(self, x):
        t = tf.nn.softplus(self.theta)
        return tf.sign(x) * tf.nn.relu(tf.abs(x) - t)


SIZE = 32
H = haar_matrix(SIZE)
model = keras.Sequential([
    keras.Input((SIZE,)), HaarTransform(H), SoftThreshold(), HaarTransform(H, inverse=True)])
model.compile("adam", "mse", jit_compile=True)

rng = np.random.default_rng(2)
clean = np.cumsum(rng.normal(size=(256, SIZE)) * (rng.random((256, SIZE)) < 0.1), axis=1).astype("float32")
noisy = clean + rng.normal(0, 0.3, clean.shape).astype("float32")
model.fit(noisy, clean, epochs=3, verbose=0)
print("mse before", np.mean((noisy - clean) ** 2), "after", model.evaluate(noisy, clean, verbose=0))

target = os.path.join(tempfile.mkdtemp(), "denoiser.keras")
model.save(target)
restored = keras.models.load_model(target)
print("largest difference", np.abs(restored.predict(noisy, verbose=0) - model.predict(noisy, verbose=0)).max())
