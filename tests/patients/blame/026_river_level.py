import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(12)


def recurrent_stack(x, units, depth, dropout):
    for i in range(depth):
        keep_time = i < depth - 2
        cell = layers.GRU(units, return_sequences=keep_time, name=f"gru_{i}")
        x = cell(x)
        if dropout:
            x = layers.Dropout(dropout)(x)
    return x


def river_level_model(window, gauges, depth=3):
    history = keras.Input((window, gauges), name="history")
    season = keras.Input((2,), name="season")
    h = recurrent_stack(history, units=12, depth=depth, dropout=0.1)
    h = layers.Concatenate()([h, season])
    level = layers.Dense(1, name="level")(h)
    return keras.Model([history, season], level)


rng = np.random.default_rng(12)
n, window, gauges = 70, 15, 4
history = rng.gamma(2.0, 1.0, (n, window, gauges)).astype("float32")
day = rng.integers(0, 365, n)
season = np.stack([np.sin(day / 58.1), np.cos(day / 58.1)], 1).astype("float32")
level = history[:, -3:].mean((1, 2))

model = river_level_model(window, gauges)
model.compile(optimizer="rmsprop", loss="mse")
model.fit([history, season], level, epochs=1, batch_size=14, verbose=0)
print(model.predict([history[:3], season[:3]], verbose=0).ravel())
