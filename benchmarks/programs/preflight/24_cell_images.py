"""Count cells in small microscope images."""
import keras
import numpy as np


class CellImages(keras.utils.PyDataset):
    def __init__(self, images, counts, batch_size, shuffle=True, **kwargs):
        super().__init__(**kwargs)
        self.images = images
        self.counts = counts
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.order = np.arange(len(images))

    def __len__(self):
        return len(self.images) // self.batch_size + 1

    def __getitem__(self, index):
        chosen = [self.order[index * self.batch_size + k] for k in range(self.batch_size)]
        return self.images[chosen], self.counts[chosen]

    def on_epoch_end(self):
        if self.shuffle:
            np.random.default_rng(1).shuffle(self.order)


def draw(n, size=24):
    rng = np.random.default_rng(24)
    images = np.zeros((n, size, size, 1), "float32")
    counts = rng.integers(1, 7, n)
    for image, count in zip(images, counts):
        for r, c in rng.integers(1, size - 1, (count, 2)):
            image[r - 1 : r + 2, c - 1 : c + 2] += 0.5
    return images, counts.astype("float32")


keras.utils.set_random_seed(24)
images, counts = draw(330)
train = CellImages(images[:250], counts[:250], 25, shuffle=False)
inputs = keras.Input((24, 24, 1))
h = keras.layers.Conv2D(8, 3, activation="relu")(inputs)
h = keras.layers.Conv2D(8, 3, activation="relu")(h)
h = keras.layers.GlobalAveragePooling2D()(h)
model = keras.Model(inputs, keras.layers.Dense(1)(h))
model.compile("adam", "mse")
model.fit(train, epochs=2, verbose=2)
print(model.evaluate(images[250:], counts[250:], verbose=0))
