import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf
from tensorflow import keras

AIRPORTS, HOURS = 20, 8
rng = np.random.default_rng(99)
n = 120

weather = rng.normal(size=(n, HOURS, 3)).astype("float32")
route = rng.integers(0, AIRPORTS, (n, 2)).astype("int32")
delay = (5 + 4 * weather[:, -1, 0] + 0.2 * route[:, 0]).astype("float32")

n_train = 90


def as_dataset(lo, hi, training):
    parts = [
        tf.data.Dataset.from_tensor_slices(a[lo:hi]) for a in (weather, route, delay)
    ]
    ds = tf.data.Dataset.zip(tuple(parts))
    if training:
        ds = ds.cache().shuffle(hi - lo, seed=2)
    return ds.batch(15).prefetch(tf.data.AUTOTUNE)


train = as_dataset(0, n_train, True)
valid = as_dataset(n_train, n, False)

w_in = keras.Input((HOURS, 3), name="weather")
r_in = keras.Input((2,), dtype="int32", name="route")
seq = keras.layers.GRU(12)(w_in)
ports = keras.layers.Flatten()(keras.layers.Embedding(AIRPORTS, 6)(r_in))
joint = keras.layers.concatenate([seq, ports])
joint = keras.layers.Dense(16, activation="relu")(joint)
model = keras.Model([w_in, r_in], keras.layers.Dense(1)(joint))

model.compile(optimizer=keras.optimizers.Adam(0.01), loss="huber", metrics=["mae"])
stop = keras.callbacks.EarlyStopping(patience=2, restore_best_weights=True)
model.fit(train, validation_data=valid, epochs=3, callbacks=[stop], verbose=0)
print(model.evaluate(valid, verbose=0, return_dict=True))
