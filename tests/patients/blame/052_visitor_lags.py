import numpy as np
import pandas as pd
import keras
from keras import layers

keras.utils.set_random_seed(82)


def visitors(n=100):
    rng = np.random.default_rng(82)
    weekday = np.tile([5, 4, 4, 5, 8, 12, 11], n // 7 + 1)[:n]
    return pd.Series(weekday + rng.normal(0, .5, n))


def lag_table(series, n_lags):
    frame = pd.concat({f"lag{k}": series.shift(k) for k in range(n_lags, 0, -1)}, axis=1)
    frame["today"] = series
    return frame.dropna()


def to_arrays(frame):
    lags = frame.drop(columns="today").to_numpy("float32")
    lags = np.expand_dims(lags, axis=0)
    return lags, frame["today"].to_numpy("float32")


table = lag_table(visitors(), 5)
x, y = to_arrays(table)

model = keras.Sequential()
model.add(layers.Input((5, 1)))
model.add(layers.Conv1D(8, 2, activation="relu"))
model.add(layers.LSTM(8))
model.add(layers.Dense(1))
model.compile(optimizer="adam", loss="mae")
model.fit(x, y, epochs=1, verbose=0)
print(model.predict(x[-1:], verbose=0))
