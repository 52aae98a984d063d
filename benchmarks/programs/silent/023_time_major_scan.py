import numpy as np
import tensorflow as tf
import keras
from keras import layers


class LeakyScan(layers.Layer):
    def __init__(self, units, leak=0.3, **kw):
        super().__init__(**kw)
        self.units, self.leak = units, leak
        self.inp = layers.Dense(units)

    def build(self, shape):
        self.rec = self.add_weight(shape=(self.units, self.units), initializer="orthogonal", name="rec")

    def call(self, x):
        b, t, f = tf.shape(x)[0], x.shape[1], x.shape[2]
        steps = tf.reshape(x, (t, b, f))
        state = tf.zeros((b, self.units))
        for k in range(t):
            new = tf.tanh(self.inp(steps[k]) + state @ self.rec)
            state = (1 - self.leak) * state + self.leak * new
        return state


def sensor_drift(n=128, t=12, seed=0):
    rng = np.random.default_rng(seed)
    slope = rng.choice([-1.0, 1.0], size=n)
    x = slope[:, None, None] * np.linspace(0, 1, t)[None, :, None] + 0.3 * rng.normal(size=(n, t, 2))
    return x.astype("float32"), (slope > 0).astype("float32")[:, None]


keras.utils.set_random_seed(23)
x, y = sensor_drift()
inp = keras.Input((12, 2))
model = keras.Model(inp, layers.Dense(1, activation="sigmoid")(LeakyScan(10)(inp)))
model.compile(optimizer=keras.optimizers.Adam(0.02), loss="binary_crossentropy", metrics=["accuracy"])
model.fit(x[:96], y[:96], epochs=10, batch_size=32, verbose=0)
loss, acc = model.evaluate(x[96:], y[96:], batch_size=32, verbose=0)
print("held-out loss %.3f accuracy %.3f" % (loss, acc))
