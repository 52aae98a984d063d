"""Keyword spotting on synthetic filter-bank features."""
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, models, utils

utils.set_random_seed(9)
WORDS = ["yes", "no", "stop", "go"]
FRAMES, BANDS = 30, 16


def clips(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, len(WORDS), n)
    x = rng.normal(0, 0.3, (n, FRAMES, BANDS))
    for i, k in enumerate(y):
        x[i, :, 4 * k : 4 * k + 4] += np.hanning(FRAMES)[:, None]
    return x.astype("float32"), y


x_train, y_train = clips(256, 1)
x_val, y_val = clips(64, 2)

y_train = utils.to_categorical(y_train, len(WORDS))

model = models.Sequential(
    [
        layers.Input((FRAMES, BANDS)),
        layers.SeparableConv1D(16, 5, activation="relu"),
        layers.GlobalAveragePooling1D(),
        layers.Dense(len(WORDS), activation="softmax"),
    ]
)
model.compile(optimizer="adam", loss="categorical_crossentropy", metrics=["accuracy"])
model.fit(x_train, y_train, validation_data=(x_val, y_val), batch_size=32, epochs=5, verbose=2)
probs = model.predict(x_val[:4])
print([WORDS[i] for i in probs.argmax(axis=1)])
