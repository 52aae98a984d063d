import keras
import numpy as np
from keras import layers


def network(dim, width, dropout):
    inp = keras.Input((dim,))
    h = inp
    for _ in range(2):
        h = layers.Dense(width, activation="selu", kernel_initializer="lecun_normal")(h)
        h = layers.AlphaDropout(dropout)(h) if hasattr(layers, "AlphaDropout") else h
    return keras.Model(inp, layers.Dense(1, activation="sigmoid")(h))


class FatigueClassifier:
    def __init__(self, width=24, dropout=0.05, lr=5e-3, epochs=5, seed=0):
        self.width, self.dropout, self.lr = width, dropout, lr
        self.epochs, self.seed = epochs, seed

    def fit(self, x, y):
        keras.utils.set_random_seed(self.seed)
        self.net = network(x.shape[1], self.width, self.dropout)
        self.net.compile(keras.optimizers.Adam(self.lr), "binary_crossentropy")
        self.history = self.net.fit(x, y, batch_size=16, epochs=self.epochs, verbose=0).history
        return self

    def probability(self, x):
        return self.net.predict(x, verbose=0).ravel()

    def brier(self, x, y):
        return float(np.mean((self.probability(x) - y) ** 2))
