"""Click model with hashed categories as indicator columns."""
import numpy as np
import pandas as pd
import tensorflow as tf

BUCKETS = 2 ** 30


def clicks(n=5000):
    rng = np.random.default_rng(1)
    return pd.DataFrame({
        "ad": rng.integers(0, 900, n),
        "site": rng.integers(0, 300, n),
        "clicked": rng.random(n) < 0.1,
    })


def hashed(frame):
    key = frame["ad"].astype(str) + "@" + frame["site"].astype(str)
    return (pd.util.hash_pandas_object(key, index=False) % BUCKETS).to_numpy()


def indicators(ids):
    matrix = np.zeros((len(ids), BUCKETS), dtype=np.float64)
    matrix[np.arange(len(ids)), ids] = 1.0
    return matrix


frame = clicks()
x = indicators(hashed(frame))
model = tf.keras.Sequential([tf.keras.Input((BUCKETS,)), tf.keras.layers.Dense(1)])
model.compile("sgd", tf.keras.losses.BinaryCrossentropy(from_logits=True))
model.fit(x, frame.clicked.to_numpy("float32"), epochs=1, verbose=0)
print("trained on", x.shape)
