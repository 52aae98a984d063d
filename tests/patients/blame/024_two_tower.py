import numpy as np
import pandas as pd
import keras
from keras import layers

keras.utils.set_random_seed(27)

TOWERS = {
    "user": {"ids": 50, "embedding": 20, "layers": [32, 16]},
    "item": {"ids": 80, "embedding": 20, "layers": [32, 12]},
}


def tower(name):
    spec = TOWERS[name]
    key = keras.Input((1,), dtype="int64", name=name)
    x = layers.Embedding(spec["ids"], spec["embedding"], name=f"{name}_embedding")(key)
    x = layers.Flatten()(x)
    for i, units in enumerate(spec["layers"]):
        last = i == len(spec["layers"]) - 1
        x = layers.Dense(units, activation=None if last else "relu", name=f"{name}_d{i}")(x)
    return key, layers.UnitNormalization(name=f"{name}_vector")(x)


def matching_model():
    (user, u), (item, v) = tower("user"), tower("item")
    cosine = layers.Dot(axes=1, name="cosine")([u, v])
    score = layers.Dense(1, activation="sigmoid", name="score")(cosine)
    return keras.Model({"user": user, "item": item}, score)


rng = np.random.default_rng(27)
clicks = pd.DataFrame({
    "user": rng.integers(0, 50, 300),
    "item": rng.integers(0, 80, 300),
    "clicked": rng.integers(0, 2, 300),
})
model = matching_model()
model.compile("adagrad", "binary_crossentropy")
inputs = {c: clicks[[c]].values for c in ("user", "item")}
model.fit(inputs, clicks["clicked"].values, batch_size=64, epochs=1, verbose=0)
print(model.evaluate(inputs, clicks["clicked"].values, verbose=0))
