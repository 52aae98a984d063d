"""Glacier melt: degree-day model as a custom RNN cell, bands of elevation as state."""
import keras
import numpy as np
from keras import layers, ops

BANDS = 6
CONFIG = {"days": 40, "bands": BANDS, "drivers": 2, "epochs": 2, "lr": 0.02}


@keras.saving.register_keras_serializable("glacier")
class DegreeDayCell(layers.Layer):
    """Snow store of each band; the state is the water equivalent in metres."""

    def __init__(self, bands, lapse=-0.0065, spacing=200.0, **kwargs):
        super().__init__(**kwargs)
        self.bands = bands
        self.lapse = lapse
        self.spacing = spacing
        self.state_size = [bands, 1]
        self.output_size = 1

    def build(self, input_shape):
        self.factor = self.add_weight(
            shape=(self.bands,), initializer=keras.initializers.Constant(0.005), name="ddf")
        self.threshold = self.add_weight(shape=(), initializer="zeros", name="t0")
        self.built = True

    def call(self, drivers, states):
        snow, runoff = states
        temp, precip = drivers[:, 0:1], drivers[:, 1:2]
        height = ops.arange(self.bands, dtype=self.compute_dtype) * self.spacing
        band_temp = temp + self.lapse * height
        cold = ops.sigmoid(3.0 * (self.threshold - band_temp))
        melt = ops.minimum(snow, self.factor * ops.softplus(band_temp))
        rain = (1.0 - cold) * precip
        snow = snow + cold * precip - melt
        runoff = 0.7 * runoff + 0.3 * (melt + rain)
        return ops.mean(runoff, axis=-1, keepdims=True), [snow, runoff]


def weather(n, cfg, seed):
    rng = np.random.default_rng(seed)
    day = np.arange(cfg["days"])
    temp = 4 + 6 * np.sin(2 * np.pi * day / 40) + rng.normal(size=(n, cfg["days"]))
    precip = rng.gamma(0.4, 0.01, size=(n, cfg["days"]))
    flow = 0.004 * np.maximum(temp, 0) + 0.5 * precip
    return (np.stack([temp, precip], -1).astype("float32"),
            flow.astype("float32")[..., None])


def build(cfg):
    drivers = keras.Input((cfg["days"], cfg["drivers"]))
    flow = layers.RNN(DegreeDayCell(cfg["bands"]), return_sequences=True)(drivers)
    return keras.Model(drivers, flow)


def main():
    keras.utils.set_random_seed(2)
    x, y = weather(20, CONFIG, seed=5)
    model = build(CONFIG)
    model.compile(keras.optimizers.Adam(CONFIG["lr"]), "mse")
    hist = model.fit(x, y, epochs=CONFIG["epochs"], batch_size=10, verbose=0)
    print("loss", hist.history["loss"])


if __name__ == "__main__":
    main()
