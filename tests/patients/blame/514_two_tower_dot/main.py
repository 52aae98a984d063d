import numpy as np
from tensorflow import keras

import config
from towers import two_tower


def clicks(n=128):
    rng = np.random.default_rng(2)
    users = rng.integers(0, config.USER_TOWER["cardinality"], (n, 1))
    items = rng.integers(0, config.ITEM_TOWER["cardinality"], (n, 1))
    return [users, items], rng.integers(0, 2, (n, 1)).astype("float32")


def main():
    model = two_tower(config.USER_TOWER, config.ITEM_TOWER)
    model.compile(keras.optimizers.Adam(config.TRAIN["lr"]), "binary_crossentropy")
    x, y = clicks()
    model.fit(x, y, batch_size=config.TRAIN["batch_size"], epochs=config.TRAIN["epochs"], verbose=2)


if __name__ == "__main__":
    main()
