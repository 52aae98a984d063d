import numpy as np
import tensorflow as tf
import keras
from keras import layers


class PseudoHuber(keras.losses.Loss):
    def __init__(self, delta=1.0, **kw):
        super().__init__(**kw)
        self.delta = delta

    def call(self, y_true, y_pred):
        z = (y_true - tf.squeeze(y_pred, axis=-1)) / self.delta
        return self.delta ** 2 * (tf.sqrt(1.0 + z * z) - 1.0)


def houses(n=160, seed=0):
    rng = np.random.default_rng(seed)
    area = rng.uniform(40, 200, n)
    rooms = np.round(area / 30 + rng.normal(0, 0.5, n))
    age = rng.uniform(0, 80, n)
    price = 3.0 * area + 12 * rooms - 1.5 * age + rng.normal(0, 10, n)
    x = np.stack([area, rooms, age], 1)
    x = (x - x.mean(0)) / x.std(0)
    y = (price - price.mean()) / price.std()
    return x.astype("float32"), y.astype("float32")


def network(width):
    return keras.Sequential([
        keras.Input((3,)),
        layers.Dense(width, activation="relu"),
        layers.Dense(1),
    ])


keras.utils.set_random_seed(21)
x, y = houses()
model = network(16)
model.compile(optimizer=keras.optimizers.Adam(0.02), loss=PseudoHuber(0.5))
history = model.fit(x, y, batch_size=32, epochs=15, verbose=0)
pred = model.predict(x, verbose=0)[:, 0]
print("training loss %.4f" % history.history["loss"][-1])
print("spread of predictions %.3f, of targets %.3f" % (pred.std(), y.std()))
