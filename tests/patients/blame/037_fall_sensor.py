import numpy as np
import pandas as pd
import keras

keras.utils.set_random_seed(64)
SENSORS = ["acc_x", "acc_y", "acc_z"]


def read_log(n=90):
    rng = np.random.default_rng(64)
    df = pd.DataFrame(rng.normal(size=(n, 3)), columns=SENSORS)
    df["timestamp"] = pd.date_range("2020-02-02", periods=n, freq="s")
    df["fall"] = (df[SENSORS].abs().sum(axis=1) > 3).astype(int)
    return df.set_index("timestamp")


def smooth(df, window=3):
    out = df.copy()
    out[SENSORS] = out[SENSORS].rolling(window, min_periods=1).mean()
    return out


df = smooth(read_log())
X = np.array([df[c].values for c in SENSORS], dtype="float32")
X = X / np.abs(X).max()
y = df["fall"].values.astype("float32")

detector = keras.Sequential()
detector.add(keras.Input((3,)))
detector.add(keras.layers.Dense(12, activation="relu"))
detector.add(keras.layers.Dense(6, activation="relu"))
detector.add(keras.layers.Dense(1, activation="sigmoid"))
detector.compile(loss="binary_crossentropy", optimizer="adam")
detector.fit(X, y, epochs=2, batch_size=30, verbose=0)
print("falls:", int((detector.predict(X, verbose=0) > .5).sum()))
