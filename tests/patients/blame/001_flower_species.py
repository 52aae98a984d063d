import numpy as np
import pandas as pd
import keras
from keras import layers

keras.utils.set_random_seed(3)


def make_frame(n=150):
    rng = np.random.default_rng(3)
    species = rng.choice(["setosa", "versicolor", "virginica"], size=n)
    shift = pd.Series(species).map({"setosa": 0.0, "versicolor": 1.0, "virginica": 2.0}).values
    return pd.DataFrame({
        "sepal_length": 5 + shift + rng.normal(0, .3, n),
        "sepal_width": 3 + rng.normal(0, .3, n),
        "petal_length": 2 + 1.5 * shift + rng.normal(0, .3, n),
        "petal_width": .5 + .7 * shift + rng.normal(0, .1, n),
        "species": species,
    })


df = make_frame()
features = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
X = df[features].values.astype("float32")
X = (X - X.mean(axis=0)) / X.std(axis=0)
y = pd.get_dummies(df["species"]).values.astype("float32")

split = int(0.8 * len(X))
X_train, X_test = X[:split], X[split:]
y_train, y_test = y[:split], y[split:]

model = keras.Sequential([
    layers.Input((len(features),)),
    layers.Dense(16, activation="relu"),
    layers.Dense(3, activation="softmax"),
])
model.compile(
    optimizer="adam",
    loss="sparse_categorical_crossentropy",
    metrics=["accuracy"],
)

history = model.fit(X_train, y_train, epochs=2, batch_size=16, verbose=0)
print("test:", model.evaluate(X_test, y_test, verbose=0))
