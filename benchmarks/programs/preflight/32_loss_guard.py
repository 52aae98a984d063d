"""Poisson regression on photon counts, with a guard that stops the job when the loss is no number."""
import math

import keras
import numpy as np
from keras import ops

keras.utils.set_random_seed(32)


class Guard(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        if not math.isfinite(logs["loss"]):
            raise FloatingPointError(f"loss is {logs['loss']} in epoch {self.epoch}, batch {batch}")

    def on_epoch_begin(self, epoch, logs=None):
        self.epoch = epoch


def poisson_nll(counts, rate):
    """Negative log likelihood without the constant."""
    return ops.mean(rate - counts * ops.log(rate), axis=-1)


rng = np.random.default_rng(32)
x = rng.normal(size=(640, 6)).astype("float32")
true = np.exp(0.5 * x[:, 0] - 0.7 * x[:, 1] + 1.0)
counts = rng.poisson(true).astype("float32")[:, None]

model = keras.Sequential(
    [
        keras.Input((6,)),
        keras.layers.Dense(16, activation="relu", bias_initializer="ones"),
        keras.layers.Dense(1, kernel_initializer=keras.initializers.RandomUniform(0.0, 0.05), bias_initializer=keras.initializers.Constant(3.0)),
    ]
)
model.compile(optimizer=keras.optimizers.SGD(2e-2), loss=poisson_nll)
model.fit(x, counts, batch_size=32, epochs=10, callbacks=[Guard()], verbose=2)
print(model.predict(x[:3], verbose=0))
