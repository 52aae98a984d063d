import numpy as np
import pandas as pd
import keras
from keras import layers


def load(n_days=10, seed=0):
    rng = np.random.default_rng(seed)
    t = pd.date_range("2024-01-01", periods=24 * n_days, freq="h")
    temp = 10 + 8 * np.sin(2 * np.pi * (t.hour - 9) / 24) + rng.normal(0, 1, len(t))
    load = 50 - 1.5 * temp + 6 * (t.day_of_week < 5) + rng.normal(0, 1, len(t))
    return pd.DataFrame({"temp": temp, "hour": t.hour, "work": (t.day_of_week < 5) * 1.0, "load": load}, index=t)


def design(df):
    ang = 2 * np.pi * df.hour / 24
    return np.stack([df.temp / 10, np.sin(ang), np.cos(ang), df.work], 1).astype("float32")


def rmse(pred, truth):
    res = pred - truth
    return float(np.sqrt(np.mean(res ** 2)))


keras.utils.set_random_seed(16)
df = load()
train, test = df.iloc[:192], df.iloc[192:]
mu, sd = train.load.mean(), train.load.std()
model = keras.Sequential([keras.Input((4,)), layers.Dense(12, activation="relu"), layers.Dense(1)])
model.compile(optimizer=keras.optimizers.Adam(0.03), loss="mae")
model.fit(design(train), ((train.load - mu) / sd).to_numpy("float32"), epochs=30, batch_size=32, verbose=0)
forecast = model.predict(design(test), verbose=0) * sd + mu
print("test RMSE %.3f MW over %d hours" % (rmse(forecast, test.load.to_numpy()), len(test)))
