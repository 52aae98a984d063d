"""Flower species from four measurements."""
import numpy as np
import keras

keras.utils.set_random_seed(1)
SPECIES = ("setosa", "versicolor", "virginica")


def sample(n_per_class=30):
    rng = np.random.default_rng(2)
    centers = np.array([[5.0, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3.0, 5.6, 2.0]])
    x = np.concatenate([c + 0.3 * rng.normal(size=(n_per_class, 4)) for c in centers])
    y = np.repeat(np.arange(3), n_per_class)
    order = rng.permutation(len(x))
    return x[order].astype("float32"), y[order]


def build_model():
    return keras.Sequential([
        keras.Input((4,)),
        keras.layers.Normalization(),
        keras.layers.Dense(10, activation="relu"),
        keras.layers.Dense(len(SPECIES), activation="softmax"),
    ])


x, y = sample()
model = build_model()
model.layers[0].adapt(x)
model.compile(optimizer="adam", loss="categorical_crossentropy", metrics=["accuracy"])
model.fit(x, y, epochs=2, validation_split=0.2, verbose=0)
print(dict(zip(SPECIES, model.predict(x[:1], verbose=0)[0].round(2))))
