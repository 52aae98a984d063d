import math

import keras
import numpy as np
from keras import layers


class Galaxies(keras.utils.PyDataset):
    """Gaussian blobs: round (0) or elongated (1). The last batch is smaller than the others."""

    def __init__(self, n, batch_size=16, seed=0, **kwargs):
        super().__init__(**kwargs)
        self.n, self.batch_size, self.seed = n, batch_size, seed

    def __len__(self):
        return math.ceil(self.n / self.batch_size)

    def __getitem__(self, index):
        first = index * self.batch_size
        last = min(first + self.batch_size, self.n)
        rng = np.random.default_rng(self.seed + index)
        labels = rng.integers(0, 2, last - first)
        yy, xx = np.mgrid[-1:1:20j, -1:1:20j]
        images = []
        for label in labels:
            a = 4.0 if label == 0 else rng.uniform(10, 25)
            images.append(np.exp(-(4.0 * xx**2 + a * yy**2)) + rng.normal(0, 0.05, xx.shape))
        return np.asarray(images, "float32")[..., None], labels.astype("float32")


keras.utils.set_random_seed(0)
train = Galaxies(150, workers=2, use_multiprocessing=False)
valid = Galaxies(37, seed=900)

net = keras.Sequential(
    [
        layers.Input((20, 20, 1)),
        layers.Conv2D(6, 3, activation="relu"),
        layers.MaxPool2D(),
        layers.Conv2D(12, 3, activation="relu"),
        layers.Flatten(),
        layers.Dense(1, activation="sigmoid"),
    ]
)
net.compile(optimizer=keras.optimizers.Adam(3e-3), loss="binary_crossentropy", metrics=["accuracy"])
net.fit(train, validation_data=valid, epochs=3, verbose=2)
print(dict(zip(net.metrics_names, net.evaluate(valid, verbose=0))))
