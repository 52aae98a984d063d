"""Read a tank recorder dump (one record per tick) and fit a level model."""
import io

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(21)
CHANNELS, TICKS = 3, 400


def recorder_dump():
    rng = np.random.default_rng(21)
    inflow = rng.uniform(0, 1, TICKS)
    outflow = rng.uniform(0, 1, TICKS)
    heat = rng.uniform(0, 1, TICKS)
    level = 2.0 * inflow - 1.5 * outflow + 0.5 * heat
    stream = io.BytesIO()
    for record in zip(inflow, outflow, heat):
        stream.write(np.array(record).astype("<f4").tobytes())
    return stream.getvalue(), level.astype("float32")


raw, level = recorder_dump()
signal = np.frombuffer(raw, dtype="<f4").reshape(TICKS, CHANNELS)
print("ticks x channels:", signal.shape)

cut = 320
mean, spread = signal[:cut].mean(axis=0), signal[:cut].std(axis=0)
features = (signal - mean) / spread

model = tf.keras.Sequential([
    tf.keras.Input((CHANNELS,)),
    tf.keras.layers.Dense(12, activation="tanh"),
    tf.keras.layers.Dense(1),
])
model.compile(optimizer=tf.keras.optimizers.Adam(0.06), loss="mse", metrics=["mae"])
model.fit(features[:cut], level[:cut, None], epochs=15, batch_size=64, verbose=0)

mse, mae = model.evaluate(features[cut:], level[cut:, None], verbose=0)
print(f"held-out mse {mse:.4f} mae {mae:.4f}")
print(f"variance of the level {level[cut:].var():.4f}")
