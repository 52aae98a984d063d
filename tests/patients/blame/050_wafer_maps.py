import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(80)


def wafers(n=30, size=20):
    rng = np.random.default_rng(80)
    defect = rng.integers(0, 2, n)
    maps = (rng.random((n, size, size, 1)) < 0.1).astype("float32")
    for m, d in zip(maps, defect):
        if d:
            m[size // 2, :, 0] = 1.0
    return maps, defect


def augment(images, labels):
    flipped = images[:, :, ::-1]
    images = np.stack([images, flipped])
    labels = np.concatenate([labels, labels])
    return images, labels


def classifier(shape):
    wafer = keras.Input(shape)
    x = layers.Conv2D(8, 3, activation="relu")(wafer)
    x = layers.MaxPooling2D(2)(x)
    x = layers.Flatten()(x)
    return keras.Model(wafer, layers.Dense(1, activation="sigmoid")(x))


maps, defect = wafers()
maps, defect = augment(maps, defect)
model = classifier((20, 20, 1))
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
model.fit(maps, defect, epochs=1, batch_size=10, verbose=0)
print(model.predict(maps[:2], verbose=0).shape)
