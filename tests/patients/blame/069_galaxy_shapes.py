import math
import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(100)


class GalaxySequence(keras.utils.PyDataset):
    def __init__(self, catalogue, batch_size, **kw):
        super().__init__(**kw)
        self.catalogue = catalogue
        self.batch_size = batch_size

    def __len__(self):
        return math.ceil(len(self.catalogue) / self.batch_size)

    def render(self, ellipticity):
        yy, xx = np.mgrid[-7:8, -7:8]
        return np.exp(-(xx ** 2 + (1 + ellipticity) * yy ** 2) / 10.0)

    def __getitem__(self, i):
        ids = self.catalogue[i * self.batch_size:(i + 1) * self.batch_size]
        rows = self.batch_size
        images = np.zeros((rows, 15, 15, 1), "float32")
        shape = np.zeros((rows,), "float32")
        for k, e in enumerate(ids):
            images[k, ..., 0] = self.render(e)
        shape[:] = ids
        return images, shape


catalogue = np.random.default_rng(100).uniform(0, 2, 38)
seq = GalaxySequence(catalogue, batch_size=8)

image = keras.Input((15, 15, 1))
x = layers.Conv2D(6, 5, activation="relu")(image)
x = layers.Flatten()(x)
model = keras.Model(image, layers.Dense(1)(x))
model.compile("adam", "mse")
model.fit(seq, epochs=1, shuffle=False, verbose=0)
print("mse", model.evaluate(seq, verbose=0))
