import numpy as np
import pandas as pd
import keras
from keras import layers

keras.utils.set_random_seed(76)
SIDE = 64


def read_table(n=64):
    """One row per glyph: the label, then the grey values."""
    rng = np.random.default_rng(76)
    pixels = rng.integers(0, 255, (n, 1024))
    frame = pd.DataFrame(pixels, columns=[f"p{i}" for i in range(pixels.shape[1])])
    frame.insert(0, "label", rng.integers(0, 26, n))
    return frame


def to_images(frame):
    pixels = frame.drop(columns="label").to_numpy("float32") / 255.0
    return pixels.reshape(-1, SIDE, SIDE, 1)


glyphs = read_table()
images = to_images(glyphs)
labels = glyphs["label"].to_numpy()

model = keras.Sequential([
    layers.Input((SIDE, SIDE, 1)),
    layers.Conv2D(8, 3, strides=2, activation="relu"),
    layers.Conv2D(8, 3, strides=2, activation="relu"),
    layers.GlobalAveragePooling2D(),
    layers.Dense(26, activation="softmax"),
])
model.compile(
    loss="sparse_categorical_crossentropy",
    optimizer="adam",
    metrics=["accuracy"],
)
model.fit(images, labels, batch_size=16, epochs=1, verbose=0)
