"""Classify waveforms that are made on the fly."""
import math
import random

import numpy as np
import keras

keras.utils.set_random_seed(11)
LENGTH = 64
KINDS = ["sine", "square", "saw"]


def wave(kind):
    f = random.uniform(1.0, 5.0)
    phase = random.uniform(0, 2 * math.pi)
    t = np.linspace(0, 1, LENGTH) * 2 * math.pi * f + phase
    if kind == "sine":
        w = np.sin(t)
    elif kind == "square":
        w = np.sign(np.sin(t))
    else:
        w = (t / math.pi) % 2 - 1
    return w + np.random.normal(0, 0.1, LENGTH)


def batches(size):
    while True:
        labels = [random.randrange(3) for _ in range(size)]
        yield np.stack([wave(KINDS[k]) for k in labels])[..., None].astype("float32"), np.array(labels)


model = keras.Sequential(
    [
        keras.Input((LENGTH, 1)),
        keras.layers.Conv1D(8, 7, strides=2, activation="relu"),
        keras.layers.Conv1D(16, 5, strides=2, activation="relu"),
        keras.layers.GlobalMaxPooling1D(),
        keras.layers.Dense(3),
    ]
)
model.compile(
    "adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"]
)
model.fit(batches(24), steps_per_epoch=20, epochs=3, validation_data=batches(50), validation_steps=2, verbose=2)
x, y = next(batches(200))
print("accuracy on fresh waves:", (model.predict(x, batch_size=64, verbose=0).argmax(1) == y).mean())
