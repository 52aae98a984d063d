"""Ant counts per colony: op determinism is on, and two trainings must agree to the last bit."""
import keras
import numpy as np
import tensorflow as tf


def colonies(count, seed):
    rng = np.random.default_rng(seed)
    owner = np.sort(rng.integers(0, 19, count))
    x = rng.normal(size=(count, 4)).astype("float32")
    y = np.bincount(owner, np.exp(0.3 * x[:, 0]), minlength=21)[:, None].astype("float32")
    return x, owner, y


class ColonyNet(keras.Model):
    def __init__(self, colonies, **kw):
        super().__init__(**kw)
        self.colonies = colonies
        self.ant = keras.Sequential([keras.layers.Dense(10, activation="elu"), keras.layers.Dropout(0.2)])
        self.out = keras.layers.Dense(1)

    def call(self, x, owner, training=False):
        h = self.ant(x, training=training)
        return self.out(tf.math.unsorted_segment_sum(h, owner, self.colonies))


def train(seed, x, owner, y):
    keras.utils.set_random_seed(seed)
    net = ColonyNet(y.shape[0])
    opt = keras.optimizers.SGD(0.002, momentum=0.9, clipnorm=5.0)

    @tf.function
    def step():
        noisy = x + tf.random.normal(x.shape, stddev=0.05)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(net(noisy, owner, training=True) - y))
        w = net.trainable_variables
        opt.apply_gradients(zip(tape.gradient(loss, w), w))
        return loss

    net(x, owner)
    return [float(step()) for _ in range(12)], [v.numpy() for v in net.trainable_variables]


def main():
    tf.config.experimental.enable_op_determinism()
    x, owner, y = colonies(150, seed=0)
    print("ants", x.shape, "colonies", y.shape, "empty", int((np.bincount(owner, minlength=21) == 0).sum()))
    a, wa = train(31, x, owner, y)
    b, wb = train(31, x, owner, y)
    c, _ = train(32, x, owner, y)
    same = a == b and all(np.array_equal(p, q) for p, q in zip(wa, wb))
    print("same to the last bit:", same, "another seed differs:", a != c, "loss", round(a[0], 2), "to", round(a[-1], 2))
    assert same and a != c


if __name__ == "__main__":
    main()
