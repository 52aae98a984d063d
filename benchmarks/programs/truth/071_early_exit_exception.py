"""Stop a nested search as soon as a good solution is found."""
import numpy as np
import keras

keras.utils.set_random_seed(3)


class EarlyExit(Exception):
    def __init__(self, config, loss):
        super().__init__(f"target reached: {config} loss {loss:.4f}")
        self.config, self.loss = config, loss


class RaiseWhenGood(keras.callbacks.Callback):
    def __init__(self, config, target):
        super().__init__()
        self.config, self.target = config, target

    def on_epoch_end(self, epoch, logs=None):
        if logs["loss"] < self.target:
            raise EarlyExit(self.config, logs["loss"])


def search(x, y, target):
    for units in (2, 4, 8):
        for lr in (0.001, 0.1):
            model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(units, "tanh"), keras.layers.Dense(1)])
            model.compile(keras.optimizers.Adam(lr), "mse")
            model.fit(x, y, epochs=8, verbose=0, callbacks=[RaiseWhenGood((units, lr), target)])
    return None


x = np.random.default_rng(3).normal(size=(64, 2)).astype("float32")
y = 0.5 * x[:, :1]
try:
    found = search(x, y, target=0.02)
except EarlyExit as stop:
    print("stopped:", stop)
    found = stop.config
print("configuration", found)
