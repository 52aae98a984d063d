import numpy as np
import tensorflow as tf
import keras

keras.utils.set_random_seed(93)
WINDOW, HORIZON = 20, 4


def windowed(series, batch):
    total = WINDOW + HORIZON
    ds = tf.data.Dataset.from_tensor_slices(series[:, None])
    ds = ds.window(total, shift=2, drop_remainder=True)
    ds = ds.flat_map(lambda w: w.batch(total))
    return ds.map(lambda w: (w[:WINDOW], w[WINDOW:, 0])).batch(batch)


t = np.arange(170)
series = np.sin(t / 9).astype("float32")
model = keras.Sequential([keras.layers.Input((None, 1)), keras.layers.GRU(8), keras.layers.Dense(HORIZON)])
model.compile("adam", keras.losses.Huber())
model.fit(windowed(series[:120], 7), validation_data=windowed(series[120:], 7), epochs=1, verbose=0)
print(model.predict(series[None, -30:, None], verbose=0))
