import numpy as np
import pandas as pd
from tensorflow import keras

rng = np.random.default_rng(42)
N = 120
df = pd.DataFrame({
    "PassengerId": np.arange(1, N + 1),
    "Survived": rng.integers(0, 2, N),
    "Pclass": rng.integers(1, 4, N),
    "Sex": rng.choice(["male", "female"], N),
    "Age": rng.normal(30, 12, N).clip(1, 80),
    "SibSp": rng.integers(0, 4, N),
    "Fare": rng.gamma(2.0, 15.0, N),
})
df["Sex"] = (df["Sex"] == "female").astype(int)
df["FamilySize"] = df["SibSp"] + 1


def preprocess(frame):
    frame = frame.copy()
    y = frame["Survived"].to_numpy("float32")
    X = frame.drop(columns=["PassengerId"])
    X = (X - X.mean()) / (X.std() + 1e-6)
    return X.to_numpy("float32"), y


def create_model(n_features):
    model = keras.Sequential()
    model.add(keras.Input(shape=(n_features,)))
    model.add(keras.layers.Dense(16, activation="relu"))
    model.add(keras.layers.Dropout(0.2))
    model.add(keras.layers.Dense(1, activation="sigmoid"))
    model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
    return model


FEATURES = ["Pclass", "Sex", "Age", "SibSp", "Fare", "FamilySize"]
X, y = preprocess(df)
idx = rng.permutation(N)
tr, va = idx[:90], idx[90:]
model = create_model(len(FEATURES))
model.fit(X[tr], y[tr], validation_data=(X[va], y[va]), epochs=2, batch_size=16, verbose=0)
print("val acc", model.evaluate(X[va], y[va], verbose=0)[1])
