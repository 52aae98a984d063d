"""Week 4 exercise: classify flowers with a small MLP."""
import numpy as np
import pandas as pd
import tensorflow as tf


def load_flowers(n=120, seed=7):
    rng = np.random.default_rng(seed)
    species = rng.choice(["setosa", "versicolor", "virginica"], size=n)
    base = {"setosa": 1.0, "versicolor": 3.0, "virginica": 5.0}
    rows = [[base[s] + rng.normal(scale=0.4) for _ in range(4)] for s in species]
    df = pd.DataFrame(rows, columns=["sepal_l", "sepal_w", "petal_l", "petal_w"])
    df["species"] = species
    return df


def split(df, frac=0.8):
    cut = int(len(df) * frac)
    return df.iloc[:cut], df.iloc[cut:]


def to_arrays(df):
    X = df.drop(columns="species").to_numpy(dtype="float32")
    y = df["species"].astype("category").cat.codes.to_numpy()
    return X, y


df = load_flowers()
train_df, test_df = split(df)
X_train, y_train = to_arrays(train_df)
X_test, y_test = to_arrays(test_df)

norm = tf.keras.layers.Normalization()
norm.adapt(X_train)

model = tf.keras.Sequential([
    tf.keras.Input(shape=(4,)),
    norm,
    tf.keras.layers.Dense(12, activation="relu"),
    tf.keras.layers.Dense(3, activation="softmax"),
])

model.compile(
    optimizer=tf.keras.optimizers.Adam(1e-2),
    loss=tf.keras.losses.CategoricalCrossentropy(),
    metrics=["accuracy"],
)
hist = model.fit(X_train, y_train, epochs=2, verbose=0)
print("train acc", hist.history["accuracy"][-1])
print("test", model.evaluate(X_test, y_test, verbose=0))
