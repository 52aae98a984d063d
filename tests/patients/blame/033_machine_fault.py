import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(54)


def high_rate_branch(samples):
    wave = keras.Input((samples, 2), name="high_rate")
    x = layers.Conv1D(16, 9, padding="same", activation="relu")(wave)
    x = layers.MaxPooling1D(4)(x)
    return wave, x


def low_rate_branch(samples):
    wave = keras.Input((samples, 2), name="low_rate")
    x = layers.Conv1D(16, 5, padding="same", activation="relu")(wave)
    x = layers.AveragePooling1D(2, data_format="channels_first")(x)
    return wave, x


def machine_fault_model(samples=200):
    hi, h = high_rate_branch(samples)
    lo, l = low_rate_branch(samples // 2)
    x = layers.Concatenate(name="fuse")([h, l])
    x = layers.Conv1D(16, 3, activation="relu")(x)
    x = layers.GlobalAveragePooling1D()(x)
    return keras.Model([hi, lo], layers.Dense(3, activation="softmax")(x))


rng = np.random.default_rng(54)
high = rng.normal(size=(18, 200, 2)).astype("float32")
low = high[:, ::2].copy()
fault = rng.integers(0, 3, 18)

model = machine_fault_model()
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit([high, low], fault, epochs=1, batch_size=6, verbose=0)
print(model.predict([high[:1], low[:1]], verbose=0))
