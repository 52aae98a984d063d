"""Glacier front: a warm-up that uses one head only, then both; some gradients are None by design."""
import keras
import numpy as np
import tensorflow as tf
from keras import layers


class FrontNet(keras.Model):
    def __init__(self, **kw):
        super().__init__(**kw)
        self.body = layers.Dense(18, activation="swish")
        self.front = layers.Dense(1, name="front")
        self.speed = layers.Dense(1, name="speed")

    def call(self, x):
        h = self.body(x)
        return self.front(h), self.speed(h)


def make_step(net, opt, use_speed):
    @tf.function
    def step(x, front, speed):
        with tf.GradientTape() as tape:
            f, s = net(x, training=True)
            loss = tf.reduce_mean(tf.square(f - front))
            if use_speed:
                loss += 0.5 * tf.reduce_mean(tf.square(s - speed))
        grads = tape.gradient(loss, net.trainable_variables)
        missing = sum(g is None for g in grads)
        opt.apply_gradients(zip(grads, net.trainable_variables))
        return loss, missing
    return step


def glaciers(count, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, 6)).astype("float32")
    return x, (x[:, :1] - x[:, 1:2]), np.tanh(x[:, 2:3])


def main():
    keras.utils.set_random_seed(5)
    net = FrontNet()
    data = tf.data.Dataset.from_tensor_slices(glaciers(240, 1)).batch(48)
    net(next(iter(data))[0])
    opt = keras.optimizers.Adam(0.01)
    opt.build(net.trainable_variables)
    seen = {}
    for phase, use_speed in (("warm-up", False), ("both", True)):
        step = make_step(net, opt, use_speed)
        for _ in range(4):
            for batch in data:
                loss, missing = step(*batch)
        seen[phase] = int(missing)
        print(phase, "loss", round(float(loss), 4), "variables without a gradient:", int(missing))
    with tf.GradientTape() as tape:
        f, _ = net(next(iter(data))[0])
        total = tf.reduce_sum(f)
    zero = tape.gradient(total, [v.value for v in net.speed.trainable_variables],
                         unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert seen == {"warm-up": 2, "both": 0} and float(tf.reduce_sum(tf.abs(zero[0]))) == 0.0
    print("done", seen)


if __name__ == "__main__":
    main()
