import numpy as np
import tensorflow as tf
import keras

keras.utils.set_random_seed(89)


class Whitener:
    def __init__(self, k):
        self.k = k

    def fit(self, x):
        self.mean = x.mean(axis=0)
        cov = np.cov(x - self.mean, rowvar=False)
        values, vectors = np.linalg.eigh(cov)
        order = np.argsort(values)[::-1]
        self.rotation = vectors[order[:self.k]]
        self.scale = 1.0 / np.sqrt(values[order[:self.k]] + 1e-5)
        return self

    def transform(self, x):
        centred = x - self.mean
        return (centred @ self.rotation * self.scale).astype("float32")


def sensor_array(n=80, sensors=15):
    rng = np.random.default_rng(89)
    hidden = rng.normal(size=(n, 3))
    mixing = rng.normal(size=(3, sensors))
    gas = hidden[:, 0] ** 2 + hidden[:, 1]
    return hidden @ mixing + rng.normal(0, .1, (n, sensors)), gas.astype("float32")


x, gas = sensor_array()
white = Whitener(k=5).fit(x)
z = white.transform(x)

model = keras.Sequential([keras.Input((5,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(1)])
model.compile(optimizer="adam", loss="mse")
model.fit(z, gas, epochs=2, verbose=0)
print(model.evaluate(z, gas, verbose=0))
