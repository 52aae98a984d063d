"""Temperature two hours ahead from a day of measurements, with sliding windows."""
import numpy as np
import keras

keras.utils.set_random_seed(8)
HOURS = 24 * 40
WINDOW = 24
t = np.arange(HOURS)
rng = np.random.default_rng(8)
temperature = 10 + 8 * np.sin(2 * np.pi * t / 24) + 3 * np.sin(2 * np.pi * t / (24 * 9)) + rng.normal(0, 0.5, HOURS)
pressure = 1013 + 5 * np.cos(2 * np.pi * t / (24 * 5)) + rng.normal(0, 0.3, HOURS)
table = np.stack([temperature, pressure], 1)
cut = int(0.8 * HOURS)
mean, std = table[:cut].mean(0), table[:cut].std(0)
table = (table - mean) / std


def windows(rows, shuffle):
    return keras.utils.timeseries_dataset_from_array(
        rows[:-2], rows[WINDOW + 1 :, 0], sequence_length=WINDOW, batch_size=48, shuffle=shuffle, seed=1
    )


train, test = windows(table[:cut], True), windows(table[cut:], False)

inputs = keras.Input((WINDOW, 2))
x = keras.layers.GRU(16)(inputs)
outputs = keras.layers.Dense(1)(x)
model = keras.Model(inputs, outputs)
model.compile(loss="mse", optimizer=keras.optimizers.Adam(5e-3), metrics=["mae"])
model.fit(train, validation_data=test, epochs=3, verbose=2)
forecast = model.predict(table[-WINDOW:][None], verbose=0)[0, 0] * std[0] + mean[0]
print(f"in two hours: {forecast:.1f} degrees")
