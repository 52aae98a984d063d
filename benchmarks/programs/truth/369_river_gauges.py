"""Level forecasts for river gauges: rows of gauges and hours are folded, then unfolded."""
import keras
import numpy as np
import tensorflow as tf
from keras import layers

GAUGES, HOURS, FEATS = 7, 13, 3


class Fold(layers.Layer):
    """Merges batch and gauges."""

    def call(self, x):
        return tf.reshape(x, [-1, HOURS, FEATS])


class Unfold(layers.Layer):
    def call(self, x):
        return tf.reshape(x, [-1, GAUGES, x.shape[-1]])


class NeighbourMix(layers.Layer):
    def __init__(self, **kw):
        super().__init__(**kw)
        a = np.eye(GAUGES) + np.eye(GAUGES, k=1)
        self.a = (a / a.sum(1, keepdims=True)).astype("float32")

    def call(self, x):
        return tf.einsum("gk,bku->bgu", self.a, x)


def build():
    inp = keras.Input((GAUGES, HOURS, FEATS))
    h = Fold()(inp)
    h = layers.LSTM(9)(h)
    h = Unfold()(h)
    h = NeighbourMix()(h)
    out = layers.Dense(1)(h)
    return keras.Model(inp, layers.Reshape((GAUGES,))(out))


def rivers(days, seed):
    rng = np.random.default_rng(seed)
    rain = rng.gamma(1.5, size=(days, GAUGES, HOURS, FEATS)).astype("float32")
    level = rain[..., 0].mean(-1) + 0.3 * rain[..., 1].max(-1)
    return rain, level.astype("float32")


def main():
    keras.utils.set_random_seed(1)
    x, y = rivers(101, seed=4)
    model = build()
    model.compile(keras.optimizers.Adam(0.02), "mse", metrics=["mae"])
    hist = model.fit(x, y, batch_size=17, epochs=4, verbose=0)
    pred = model.predict(x, batch_size=23, verbose=0)
    folded = Fold()(x)
    print("folded", folded.shape, "predicted", pred.shape, "target", y.shape)
    assert folded.shape[0] == 101 * GAUGES and pred.shape == y.shape
    assert hist.history["loss"][-1] < hist.history["loss"][0]
    print("mae", round(hist.history["mae"][-1], 3))


if __name__ == "__main__":
    main()
