import numpy as np
import pandas as pd
import tensorflow as tf
import keras
from keras import layers

keras.utils.set_random_seed(101)
SEQ, HORIZON = 16, 3


def plant(n=180):
    t = np.arange(n)
    rng = np.random.default_rng(101)
    return pd.DataFrame({
        "power": np.sin(t / 9) + rng.normal(0, .05, n),
        "steam": np.cos(t / 9),
        "feed": rng.normal(size=n),
        "ambient": np.sin(t / 60),
        "valve": rng.random(n),
    })


df = plant()
values = ((df - df.mean()) / df.std()).to_numpy("float32")
targets = values[SEQ:]

ds = keras.utils.timeseries_dataset_from_array(
    data=values[:len(targets)],
    targets=targets,
    sequence_length=SEQ,
    batch_size=20,
    shuffle=True,
    seed=3,
)

inp = keras.Input((SEQ, values.shape[1]))
h = layers.GRU(16)(inp)
out = layers.Dense(HORIZON, name="next_power")(h)
model = keras.Model(inp, out)
model.compile(optimizer="adam", loss=keras.losses.MeanSquaredError())
model.fit(ds, epochs=1, verbose=0)
print(model.evaluate(ds, verbose=0))
