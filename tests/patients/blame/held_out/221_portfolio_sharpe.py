import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf
import keras

LOOKBACK, HOLD, ASSETS = 20, 5, 6


def market(days=260, seed=12):
    rng = np.random.default_rng(seed)
    common = rng.normal(0.0003, 0.008, (days, 1))
    return (common + rng.normal(0, 0.006, (days, ASSETS))).astype("float32")


def examples(rets):
    X, Y = [], []
    for t in range(LOOKBACK, len(rets) - HOLD):
        X.append(rets[t - LOOKBACK:t])
        Y.append(rets[t:t + HOLD])
    return np.stack(X), np.stack(Y)


@keras.saving.register_keras_serializable()
def neg_sharpe(realised, weights):
    pnl = tf.reduce_sum(realised * weights, axis=-1)
    return -tf.reduce_mean(pnl) / (tf.math.reduce_std(pnl) + 1e-6)


def allocator(units=12):
    return keras.Sequential([
        keras.Input((LOOKBACK, ASSETS)),
        keras.layers.LSTM(units),
        keras.layers.Dropout(0.1),
        keras.layers.Dense(ASSETS, activation="softmax", name="weights"),
    ])


class Turnover(keras.callbacks.Callback):
    def __init__(self, x):
        super().__init__()
        self.x = x

    def on_epoch_end(self, epoch, logs=None):
        w = self.model.predict(self.x, verbose=0)
        logs["turnover"] = float(np.abs(np.diff(w, axis=0)).sum(1).mean())


rets = market()
x, y = examples(rets)
cut = 5 * 32
model = allocator()
model.compile(optimizer=keras.optimizers.Adam(1e-3), loss=neg_sharpe)
hist = model.fit(
    x[:cut], y[:cut],
    batch_size=32, epochs=2, shuffle=False, verbose=0,
    callbacks=[Turnover(x[cut:])],
)
print(hist.history)
