import numpy as np
import pandas as pd
import keras
from keras.utils import to_categorical

keras.utils.set_random_seed(79)


def patients(n=110):
    rng = np.random.default_rng(79)
    df = pd.DataFrame({
        "age": rng.integers(20, 90, n).astype(float),
        "bmi": rng.normal(26, 4, n),
        "glucose": rng.normal(100, 15, n),
        "pressure": rng.normal(125, 12, n),
        "risk": rng.choice(["low", "mid", "high"], n),
    })
    df.loc[rng.choice(n, 13, replace=False), "glucose"] = np.nan
    return df


RISK = {"low": 0, "mid": 1, "high": 2}

df = patients()
label = df["risk"].map(RISK)
features = df.drop(columns="risk")
features = features.dropna()

x = ((features - features.mean()) / features.std()).to_numpy("float32")
y = to_categorical(label, len(RISK))

net = keras.Sequential([
    keras.Input((x.shape[1],)),
    keras.layers.Dense(16, activation="relu"),
    keras.layers.Dense(16, activation="relu"),
    keras.layers.Dense(len(RISK), activation="softmax"),
])
net.compile(optimizer="adam", loss="categorical_crossentropy", metrics=["accuracy"])
net.fit(x, y, epochs=2, verbose=0)
print(net.evaluate(x, y, verbose=0))
