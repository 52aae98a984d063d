"""Customer churn with three outcomes and weights per outcome."""
import numpy as np
import pandas as pd
import tensorflow as tf

tf.random.set_seed(3)
OUTCOMES = ["stay", "downgrade", "leave"]


def make_frame(n=256):
    rng = np.random.default_rng(3)
    df = pd.DataFrame({
        "tenure": rng.integers(1, 72, n),
        "calls": rng.poisson(2, n),
        "bill": rng.normal(50, 12, n),
    })
    score = 0.03 * (40 - df.tenure) + 0.4 * df.calls
    df["outcome"] = pd.cut(score, [-9, 0.4, 1.2, 99], labels=OUTCOMES)
    return df


class WeightedCE:
    def __init__(self, frequencies):
        inv = 1.0 / np.asarray(frequencies, np.float32)
        self.weights = tf.constant(inv / inv.sum())

    def __call__(self, y_true, y_pred):
        logp = tf.math.log(tf.clip_by_value(y_pred, 1e-6, 1.0))
        per_class = y_true * logp * self.weights
        return -tf.reduce_sum(per_class, axis=-1)


df = make_frame()
x = ((df[["tenure", "calls", "bill"]] - df[["tenure", "calls", "bill"]].mean()) / df[["tenure", "calls", "bill"]].std()).to_numpy("float32")
y = tf.one_hot(df.outcome.cat.codes.to_numpy(), len(OUTCOMES))
freq = df.groupby(["outcome", df.tenure > 36], observed=True).size().to_numpy()

model = tf.keras.Sequential([
    tf.keras.Input((3,)),
    tf.keras.layers.Dense(16, activation="relu"),
    tf.keras.layers.Dense(len(OUTCOMES), activation="softmax"),
])
loss = WeightedCE(freq)
model.compile("adam", lambda t, p: loss(t, p))
model.fit(x, y, batch_size=32, epochs=2, verbose=0)
print("done")
