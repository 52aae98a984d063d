import numpy as np
import pandas as pd
import keras

keras.utils.set_random_seed(1)
IN_STEPS, OUT_STEPS = 24, 6

hours = pd.date_range("2021-01-01", periods=400, freq="h")
t = np.arange(len(hours))
frame = pd.DataFrame({
    "temp": 10 + 5 * np.sin(2 * np.pi * t / 24),
    "pressure": 1010 + np.cos(t / 50),
    "wind": np.abs(np.sin(t / 7)) * 4,
}, index=hours)
frame = (frame - frame.mean()) / frame.std()
FEATURES = frame.shape[1]


def windows(values):
    xs, ys = [], []
    for start in range(len(values) - IN_STEPS - OUT_STEPS):
        mid = start + IN_STEPS
        xs.append(values[start:mid])
        ys.append(values[mid:mid + OUT_STEPS])
    return np.array(xs, "float32"), np.array(ys, "float32")


x, y = windows(frame.values)
cut = int(len(x) * 0.8)

single_shot = keras.Sequential([
    keras.layers.Input((IN_STEPS, FEATURES)),
    keras.layers.LSTM(20),
    keras.layers.Dense(OUT_STEPS * FEATURES, kernel_initializer="zeros"),
])
single_shot.compile(loss="mse", optimizer="adam", metrics=["mae"])
single_shot.fit(x[:cut], y[:cut], validation_data=(x[cut:], y[cut:]), epochs=1, verbose=0)
print(single_shot.evaluate(x[cut:], y[cut:], verbose=0))
