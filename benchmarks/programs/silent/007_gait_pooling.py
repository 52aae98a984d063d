import numpy as np
import tensorflow as tf
import keras
from keras import layers

T, F = 14, 3


class GaitNet(keras.Model):
    def __init__(self, units=8):
        super().__init__()
        self.lift = layers.Dense(units, activation="relu")
        self.mix = self.add_weight(shape=(units, units), initializer="orthogonal", name="mix")
        self.head = layers.Dense(1)

    def call(self, x):
        h = tf.transpose(self.lift(x), (1, 0, 2))
        state, out = tf.zeros_like(h[0]), []
        for t in range(T):
            state = tf.tanh(h[t] + state @ self.mix)
            out.append(state)
        seq = tf.stack(out, axis=0)
        pooled = tf.reduce_mean(seq, axis=1)
        return tf.squeeze(self.head(pooled), -1)


def walks(n, seed):
    rng = np.random.default_rng(seed)
    speed = rng.uniform(0.5, 2.0, (n, 1))
    phase = np.arange(T)[None, :] * speed
    x = np.stack([np.sin(phase), np.cos(phase), phase * 0.1], -1)
    return (x + 0.05 * rng.normal(size=x.shape)).astype("float32"), speed.astype("float32")


keras.utils.set_random_seed(5)
x, speed = walks(60, 8)
model, opt = GaitNet(), keras.optimizers.Adam(0.01)
ds = tf.data.Dataset.from_tensor_slices((x, speed)).batch(20)
for epoch in range(6):
    for xb, yb in ds:
        with tf.GradientTape() as tape:
            pred = model(xb)
            loss = tf.reduce_mean((yb - pred) ** 2)
        opt.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
print("final batch loss %.4f" % float(loss))
