import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import keras


class TrialPruned(Exception):
    def __init__(self, epoch, value):
        super().__init__(f"pruned at epoch {epoch}: {value:.4f}")
        self.epoch = epoch


class MedianPruner(keras.callbacks.Callback):
    history = {}

    def on_epoch_end(self, epoch, logs=None):
        value = logs["val_loss"]
        others = self.history.setdefault(epoch, [])
        worse = bool(others) and value > np.median(others)
        others.append(value)
        if worse and epoch >= 1:
            raise TrialPruned(epoch, value)


def dataset():
    g = np.random.default_rng(33)
    x = g.uniform(-3, 3, (240, 2)).astype("float32")
    y = np.sin(x[:, 0]) * np.cos(x[:, 1])
    return x, y.astype("float32")


def objective(params):
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input((2,)),
                              keras.layers.Dense(params["width"], activation=params["act"]),
                              keras.layers.Dense(1)])
    model.compile(keras.optimizers.Adam(params["lr"]), "mse", jit_compile=True)
    x, y = dataset()
    h = model.fit(x, y, validation_split=0.25, epochs=4, batch_size=60, verbose=0, callbacks=[MedianPruner()])
    return h.history["val_loss"][-1]


space = [dict(width=32, act="tanh", lr=1e-2), dict(width=4, act="relu", lr=1e-5), dict(width=64, act="relu", lr=2e-2)]
results = []
for number, params in enumerate(space):
    try:
        results.append((objective(params), number))
        print(f"trial {number} finished: {results[-1][0]:.4f}")
    except TrialPruned as stop:
        print(f"trial {number} failed to improve, {stop}")
best, number = min(results)
print(f"best trial {number} with {best:.4f}: {space[number]}")
