"""Ranking of ski runs by difficulty: every run is compared with every other."""
import keras
import numpy as np
import tensorflow as tf
from keras import layers


def hinge_pairs(y, s, margin=0.3):
    order = tf.sign(y[:, None] - y[None, :])
    gap = s[:, None] - s[None, :]
    cost = tf.nn.relu(margin - order * gap) * tf.abs(order)
    return tf.reduce_sum(cost) / tf.maximum(tf.reduce_sum(tf.abs(order)), 1.0)


class PairLoss(keras.losses.Loss):
    def call(self, y, s):
        return hinge_pairs(tf.reshape(tf.cast(y, tf.float32), [-1]), tf.reshape(s, [-1]))


class Concordance(keras.metrics.Metric):
    def __init__(self, name="concordance", **kw):
        super().__init__(name=name, **kw)
        self.good = self.add_weight(name="good", initializer="zeros")
        self.all = self.add_weight(name="all", initializer="zeros")

    def update_state(self, y, s, sample_weight=None):
        y, s = tf.reshape(tf.cast(y, tf.float32), [-1, 1]), tf.reshape(s, [-1, 1])
        order = tf.sign(y - tf.transpose(y))
        same = tf.cast(tf.equal(order, tf.sign(s - tf.transpose(s))), tf.float32) * tf.abs(order)
        self.good.assign_add(tf.reduce_sum(same))
        self.all.assign_add(tf.reduce_sum(tf.abs(order)))

    def result(self):
        return self.good / tf.maximum(self.all, 1.0)


def runs(count, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, 6)).astype("float32")
    y = np.digitize(x[:, 0] + 0.5 * x[:, 1] ** 2, [-0.5, 0.2, 0.9])
    return x, y


class Prototypes(layers.Layer):
    def __init__(self, count, **kw):
        super().__init__(**kw)
        self.count = count

    def build(self, shape):
        self.p = self.add_weight(shape=(self.count, shape[-1]), name="p")

    def call(self, x):
        d = tf.reduce_sum(tf.square(x[:, None, :] - self.p[None, :, :]), -1)
        return tf.exp(-0.5 * d)


def main():
    keras.utils.set_random_seed(6)
    x, y = runs(230, seed=9)
    model = keras.Sequential([keras.Input((6,)), Prototypes(17), layers.Dense(1)])
    model.compile(keras.optimizers.Adam(0.02), PairLoss(), metrics=[Concordance()])
    hist = model.fit(x, y, batch_size=46, epochs=6, verbose=0)
    y1 = tf.constant(y[:46], tf.float32)
    print("pairs", (y1[:, None] - y1[None, :]).shape, "labels", y.shape, "scores", model(x).shape)
    print("concordance", np.round(hist.history["concordance"], 3).tolist())
    assert hist.history["concordance"][-1] > 0.55


if __name__ == "__main__":
    main()
