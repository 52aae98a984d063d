import numpy as np
import tensorflow as tf
import keras
from keras import layers

FEATURES = 48


class FourierFeatures(layers.Layer):
    def __init__(self, gamma=1.0, **kw):
        super().__init__(**kw)
        self.gamma = gamma
        self.init = keras.initializers.RandomNormal(stddev=1.5, seed=7)

    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1], FEATURES), initializer=self.init, trainable=False, name="w")
        self.built = True

    def call(self, x):
        w = self.w
        z = self.gamma * tf.matmul(x, w)
        return tf.concat([tf.cos(z), tf.sin(z)], axis=-1)


def rings(n, seed):
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 2, n)
    r, a = 0.6 + 0.8 * label + 0.1 * rng.normal(size=n), rng.uniform(0, 2 * np.pi, n)
    return np.stack([r * np.cos(a), r * np.sin(a)], 1).astype("float32"), label.astype("float32")[:, None]


keras.utils.set_random_seed(44)
phi, head, lr = FourierFeatures(), layers.Dense(1), 0.1
x, y = rings(200, 0)
xt, yt = rings(100, 1)
phi.build(x.shape)
head.build((None, 2 * FEATURES))


@tf.function(jit_compile=True)
def step(xb, yb):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(yb, head(phi(xb))))
    for v, g in zip(head.trainable_variables, tape.gradient(loss, head.trainable_variables)):
        v.assign_sub(lr * g)
    return loss


for _ in range(150):
    loss = step(tf.constant(x), tf.constant(y))
scores = head(phi(tf.constant(xt))).numpy()
print("training loss %.4f" % float(loss))
print("mean test score, inner %.3f outer %.3f" % (scores[yt == 0].mean(), scores[yt == 1].mean()))
