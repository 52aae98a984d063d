import numpy as np
import keras

keras.utils.set_random_seed(78)
WINDOW = 12


def grid_load(n=200):
    t = np.arange(n)
    rng = np.random.default_rng(78)
    return 50 + 10 * np.sin(t / 12 * np.pi) + 5 * np.sin(t / 84 * np.pi) + rng.normal(0, 1, n)


def make_windows(series, window):
    X = np.stack([series[i:i + window] for i in range(len(series) - window)])
    y = series[window - 1:]
    return X[..., np.newaxis].astype("float32"), y.astype("float32")


def build(units):
    return keras.Sequential([
        keras.layers.Input((WINDOW, 1)),
        keras.layers.SimpleRNN(units),
        keras.layers.Dense(1),
    ])


series = grid_load()
series = (series - series.mean()) / series.std()
X, y = make_windows(series, WINDOW)

model = build(8)
model.compile(optimizer="adam", loss="mse")
model.fit(X, y, batch_size=47, epochs=1, shuffle=False, verbose=0)

next_value = model.predict(series[None, -WINDOW:, None], verbose=0)
print("next hour (scaled):", float(next_value[0, 0]))
