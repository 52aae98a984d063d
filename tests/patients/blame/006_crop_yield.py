import numpy as np
import pandas as pd
import keras
from keras import layers

keras.utils.set_random_seed(21)
TARGET_PREFIX = "y"


def simulate(n=120):
    rng = np.random.default_rng(21)
    rain = rng.gamma(4, 20, n)
    nitrogen = rng.uniform(20, 90, n)
    return pd.DataFrame({
        "year": rng.integers(1990, 2020, n),
        "rain": rain,
        "nitrogen": nitrogen,
        "soil_ph": rng.normal(6.5, .4, n),
        "y_grain": 2 + rain * .01 + nitrogen * .02,
        "y_straw": 4 + rain * .02 + rng.normal(0, .1, n),
    })


def split_columns(df):
    targets = [c for c in df.columns if c.startswith(TARGET_PREFIX)]
    inputs = [c for c in df.columns if c not in targets]
    return df[inputs], df[targets]


def standardise(df):
    return ((df - df.mean()) / df.std()).to_numpy("float32")


inputs, targets = split_columns(simulate())
X, Y = standardise(inputs), standardise(targets)

obs = keras.Input((X.shape[1],), name="field")
h = layers.Dense(24, activation="gelu")(obs)
h = layers.Dense(24, activation="gelu")(h)
out = layers.Dense(2, name="grain_and_straw")(h)
net = keras.Model(obs, out)
net.compile("adam", loss=keras.losses.Huber())
stop = keras.callbacks.EarlyStopping(patience=2)
net.fit(X, Y, validation_split=0.2, epochs=3, callbacks=[stop], verbose=0)
print("done", net.predict(X[:2], verbose=0))
