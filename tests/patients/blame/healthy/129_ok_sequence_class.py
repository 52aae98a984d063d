import math
import numpy as np
import keras

keras.utils.set_random_seed(100)


class Stars(keras.utils.PyDataset):
    def __init__(self, values, batch_size, **kw):
        super().__init__(**kw)
        self.values, self.batch_size = values, batch_size

    def __len__(self):
        return math.ceil(len(self.values) / self.batch_size)

    def __getitem__(self, i):
        v = self.values[i * self.batch_size:(i + 1) * self.batch_size]
        grid = np.linspace(-1, 1, 9)
        images = np.exp(-v[:, None, None] * (grid[:, None] ** 2 + grid ** 2))
        return images[..., None].astype("float32"), v.astype("float32")


data = Stars(np.random.default_rng(1).uniform(1, 5, 37), 8)
net = keras.Sequential([keras.layers.Conv2D(4, 3), keras.layers.Flatten(), keras.layers.Dense(1)])
net.compile("adam", "mse")
net.fit(data, epochs=1, verbose=0)
print(net.evaluate(data, verbose=0))
