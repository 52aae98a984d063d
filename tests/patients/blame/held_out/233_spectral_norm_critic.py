import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, optimizers


class SNConv(layers.Layer):
    """Convolution whose kernel is divided by its largest singular value."""

    def __init__(self, filters, size, stride):
        super().__init__()
        self.filters, self.size, self.stride = filters, size, stride

    def build(self, shape):
        c = shape[-1]
        self.kernel = self.add_weight(shape=(self.size, self.size, c, self.filters), name="kernel")
        self.u = self.add_weight(
            shape=(1, c), initializer="random_normal", trainable=False, name="u"
        )

    def normalised_kernel(self):
        w = tf.reshape(self.kernel, (-1, self.filters))
        v = tf.math.l2_normalize(tf.matmul(self.u, w, transpose_b=True))
        u = tf.math.l2_normalize(tf.matmul(v, w))
        sigma = tf.matmul(tf.matmul(v, w), u, transpose_b=True)
        self.u.assign(u)
        return self.kernel / sigma[0, 0]

    def call(self, x):
        return tf.nn.conv2d(x, self.normalised_kernel(), self.stride, "SAME")


class Critic(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.convs = [SNConv(8, 3, 2), SNConv(16, 3, 2)]
        self.score = layers.Dense(1)

    def call(self, x):
        for conv in self.convs:
            x = tf.nn.leaky_relu(conv(x), 0.2)
        return self.score(tf.reduce_sum(x, axis=[1, 2]))


painter = tf.keras.Sequential([
    layers.Input((10,)),
    layers.Dense(4 * 4 * 8, activation="relu"),
    layers.Reshape((4, 4, 8)),
    layers.UpSampling2D(2),
    layers.Conv2D(8, 3, padding="same", activation="relu"),
    layers.UpSampling2D(2),
    layers.Conv2D(3, 3, padding="same", activation="tanh"),
])
critic = Critic()
opt_p, opt_c = optimizers.Adam(1e-4, 0.0), optimizers.Adam(4e-4, 0.0)
tiles = np.random.default_rng(0).uniform(-1, 1, (24, 16, 16, 3)).astype("float32")

for i in range(3):
    real = tiles[i * 8:(i + 1) * 8]
    with tf.GradientTape() as tc:
        fake = painter(tf.random.normal((8, 10)))
        lc = tf.reduce_mean(tf.nn.relu(1 - critic(real))) + tf.reduce_mean(tf.nn.relu(1 + critic(fake)))
    vc = critic.trainable_variables
    opt_c.apply_gradients(zip(tc.gradient(lc, vc), vc))
    with tf.GradientTape() as tp:
        lp = -tf.reduce_mean(critic(painter(tf.random.normal((8, 10)))))
    vp = painter.trainable_variables
    opt_p.apply_gradients(zip(tp.gradient(lp, vp), vp))
    print(i, float(lc), float(lp))
