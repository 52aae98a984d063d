import numpy as np
import pandas as pd
from tensorflow import keras

keras.utils.set_random_seed(65)
LOOKBACK = 30
REPORT_DAYS = 20

rng = np.random.default_rng(65)
prices = pd.Series(100 + rng.normal(0, 1, 260).cumsum(), name="close")


class MinMax:
    def fit(self, s):
        self.lo, self.hi = s.min(), s.max()
        return self

    def transform(self, s):
        return ((s - self.lo) / (self.hi - self.lo)).to_numpy("float32")

    def inverse(self, v):
        return v * (self.hi - self.lo) + self.lo


def supervised(v, lookback):
    x = np.lib.stride_tricks.sliding_window_view(v, lookback)[:-1]
    return x[..., None].copy(), v[lookback:]


scaler = MinMax().fit(prices)
scaled = scaler.transform(prices)
X, y = supervised(scaled, LOOKBACK)

model = keras.Sequential([
    keras.layers.Input((LOOKBACK, 1)),
    keras.layers.Conv1D(8, 5, activation="relu"),
    keras.layers.Flatten(),
    keras.layers.Dense(16, activation="relu"),
    keras.layers.Dense(1),
])
model.compile("adam", "mse")
model.fit(X, y, epochs=1, batch_size=46, verbose=0)

print(prices.tail(REPORT_DAYS).describe().round(2).to_dict())
recent = scaled[-REPORT_DAYS:]
recent = recent.reshape(1, -1, 1)
tomorrow = scaler.inverse(model.predict(recent, verbose=0)[0, 0])
print(f"tomorrow: {tomorrow:.2f}")
