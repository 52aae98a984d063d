"""Remaining life of wind-turbine gearboxes: convolution over vibration features, tuned for speed."""
import time

import numpy as np
from tensorflow import keras

OPTIONS = {
    "window": 16,
    "channels": 5,
    "filters": (8, 16),
    "optimizer": {"name": "adam", "learning_rate": 4e-3},
    "runtime": {"run_eagerly": True, "jit_compile": True, "steps_per_execution": 1},
}


def histories(machines, seed=13):
    rng = np.random.default_rng(seed)
    xs, ys = [], []
    for _ in range(machines):
        life = int(rng.integers(40, 60))
        wear = np.linspace(0, 1, life) ** 2
        signal = rng.normal(0, 0.2, (life, OPTIONS["channels"])) + wear[:, None] * rng.uniform(0.5, 1.5, OPTIONS["channels"])
        for end in range(OPTIONS["window"], life, 6):
            xs.append(signal[end - OPTIONS["window"]:end])
            ys.append((life - end) / 60)
    return np.array(xs, "float32"), np.array(ys, "float32")


class ConvBlock(keras.layers.Layer):
    def __init__(self, filters, **kw):
        super().__init__(**kw)
        self.conv = keras.layers.Conv1D(filters, 3, padding="causal")
        self.norm = keras.layers.LayerNormalization()
        self.skip = keras.layers.Conv1D(filters, 1)

    def build(self, shape):
        self.conv.build(shape)
        self.skip.build(shape)
        self.norm.build((*shape[:-1], self.conv.filters))

    def call(self, x):
        return keras.ops.relu(self.norm(self.conv(x))) + self.skip(x)


def network():
    return keras.Sequential(
        [keras.Input((OPTIONS["window"], OPTIONS["channels"]))]
        + [ConvBlock(f) for f in OPTIONS["filters"]]
        + [keras.layers.GlobalAveragePooling1D(), keras.layers.Dense(1, "softplus")]
    )


class Timer(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        self.start = time.perf_counter()

    def on_epoch_end(self, epoch, logs=None):
        logs["seconds"] = time.perf_counter() - self.start


def main():
    keras.utils.set_random_seed(13)
    x, y = histories(20)
    model = network()
    spec = dict(OPTIONS["optimizer"])
    optimizer = keras.optimizers.get({"class_name": spec.pop("name"), "config": spec})
    model.compile(optimizer, "mae", **OPTIONS["runtime"])
    timer = Timer()
    history = model.fit(x, y, epochs=2, batch_size=32, verbose=0, callbacks=[timer])
    for epoch, loss in enumerate(history.history["loss"]):
        print(f"epoch {epoch}: mae {60 * loss:.2f} days")


if __name__ == "__main__":
    main()
