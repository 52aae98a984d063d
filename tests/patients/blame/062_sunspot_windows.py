import numpy as np
import tensorflow as tf
import keras

keras.utils.set_random_seed(93)
WINDOW, BATCH = 20, 10


def sunspots(n=150):
    t = np.arange(n)
    rng = np.random.default_rng(93)
    return (np.abs(np.sin(t / 17)) + rng.normal(0, .05, n)).astype("float32")


def windowed(series, window, batch):
    length = window + 1
    ds = tf.data.Dataset.from_tensor_slices(series[:, None])
    ds = ds.window(length, shift=1)
    ds = ds.flat_map(lambda w: w.batch(length))
    ds = ds.map(lambda w: (w[:-1], w[-1]))
    return ds.batch(batch).prefetch(1)


class Forecaster(keras.Model):
    def __init__(self):
        super().__init__()
        self.conv = keras.layers.Conv1D(8, 3, padding="causal", activation="relu")
        self.rnn = keras.layers.GRU(8)
        self.out = keras.layers.Dense(1)

    def call(self, x):
        return self.out(self.rnn(self.conv(x)))


series = sunspots()
train, valid = windowed(series[:110], WINDOW, BATCH), windowed(series[110:], WINDOW, BATCH)
model = Forecaster()
model.compile(loss=keras.losses.Huber(), optimizer="adam", metrics=["mae"])
model.fit(train, epochs=1, verbose=0)
print(model.evaluate(valid, verbose=0, return_dict=True))
