"""Coral cover from reef photographs: fixed Gabor bank, pooled, small head."""
import keras
import numpy as np
import tensorflow as tf
from keras import layers

CONFIG = {
    "photo": {"side": 40, "colour": "luma", "count": 72},
    "gabor": {"channels": 3, "size": 9, "angles": 6, "wave": 5.0},
    "fit": {"batch": 12, "epochs": 3, "rate": 5e-3},
}


def gabor_kernels(channels, size, angles, wave):
    r = np.arange(size) - size // 2
    y, x = np.meshgrid(r, r, indexing="ij")
    bank = []
    for a in np.pi * np.arange(angles) / angles:
        u = x * np.cos(a) + y * np.sin(a)
        g = np.exp(-(x ** 2 + y ** 2) / (0.3 * size) ** 2) * np.cos(2 * np.pi * u / wave)
        bank.append(g - g.mean())
    k = np.stack(bank, -1)[:, :, None, :]
    return np.repeat(k, channels, axis=2).astype("float32") / channels


class Gabor(layers.Layer):
    def __init__(self, spec, **kw):
        super().__init__(**kw)
        self.k = tf.constant(gabor_kernels(**spec))

    def call(self, x):
        e = tf.square(tf.nn.conv2d(x, self.k, 2, "SAME"))
        return tf.math.log1p(tf.reduce_mean(e, axis=[1, 2]))


def luma(rgb):
    return tf.tensordot(rgb, tf.constant([0.299, 0.587, 0.114]), axes=1)[..., None]


COLOURS = {"luma": luma, "rgb": tf.identity}


def photos(spec, seed):
    rng = np.random.default_rng(seed)
    cover = rng.uniform(size=spec["count"]).astype("float32")
    rgb = rng.uniform(size=(spec["count"], spec["side"], spec["side"], 3)) * (0.3 + cover[:, None, None, None])
    return rgb.astype("float32"), cover[:, None]


def dataset(cfg):
    rgb, cover = photos(cfg["photo"], seed=19)
    turn = COLOURS[cfg["photo"]["colour"]]
    ds = tf.data.Dataset.from_tensor_slices((rgb, cover))
    return ds.map(lambda p, c: (turn(p), c)).batch(cfg["fit"]["batch"])


def main():
    keras.utils.set_random_seed(3)
    model = keras.Sequential([Gabor(CONFIG["gabor"]), layers.BatchNormalization(),
                              layers.Dense(8, activation="relu"), layers.Dense(1, activation="sigmoid")])
    model.compile(keras.optimizers.Adam(CONFIG["fit"]["rate"]), "mae")
    hist = model.fit(dataset(CONFIG), epochs=CONFIG["fit"]["epochs"], verbose=0)
    print("mae", np.round(hist.history["loss"], 3).tolist())


if __name__ == "__main__":
    main()
