import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(74)


def photo_branch(photo):
    x = layers.Conv2D(8, 3, activation="relu")(photo)
    x = layers.MaxPooling2D()(x)
    return layers.GlobalAveragePooling2D()(x)


def table_branch(table):
    return layers.Dense(12, activation="relu")(table)


def price_model():
    photo = keras.Input((16, 16, 3), name="photo")
    table = keras.Input((6,), name="table")
    merged = layers.concatenate([table_branch(table), photo_branch(photo)])
    price = layers.Dense(1, activation="softplus")(merged)
    return keras.Model([photo, table], price)


class Trainer:
    def __init__(self, model, table, photos, price):
        self.model = model
        self.data = (table, photos)
        self.price = price

    def split(self, fraction):
        k = int(len(self.price) * fraction)
        train = [d[:k] for d in self.data], self.price[:k]
        valid = [d[k:] for d in self.data], self.price[k:]
        return train, valid

    def run(self):
        (x, y), valid = self.split(0.75)
        self.model.compile(optimizer="adam", loss="mape")
        return self.model.fit(x, y, validation_data=valid, epochs=1, batch_size=10, verbose=0)


rng = np.random.default_rng(74)
table = rng.normal(size=(40, 6)).astype("float32")
photos = rng.random((40, 16, 16, 3)).astype("float32")
price = rng.uniform(1, 3, 40).astype("float32")
print(Trainer(price_model(), table, photos, price).run().history)
