"""Multiple-instance learning with attention over bags."""
import numpy as np
import keras
from keras import layers, ops

keras.utils.set_random_seed(5)
BAG = 7


class AttentionPool(layers.Layer):
    def __init__(self, dim, **kw):
        super().__init__(**kw)
        self.hidden = layers.Dense(dim, activation="tanh")
        self.score = layers.Dense(1)

    def call(self, bags):
        weights = ops.softmax(self.score(self.hidden(bags)), axis=1)
        return ops.sum(weights * bags, axis=1)


def bags(n=60):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(n, BAG, 3)).astype("float32")
    y = np.zeros((n, 1), "float32")
    for i in range(0, n, 2):
        x[i, rng.integers(BAG)] += 4.0
        y[i] = 1.0
    return x, y


inputs = keras.Input((BAG, 3))
pooled = AttentionPool(6)(layers.Dense(8, activation="relu")(inputs))
model = keras.Model(inputs, layers.Dense(1, activation="sigmoid")(pooled))
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
x, y = bags()
model.fit(x, y, epochs=4, batch_size=10, verbose=0)
flat = x.reshape(-1, 3)
print("instances", flat.shape[0], "predictions", model.predict(x, verbose=0).shape[0])
