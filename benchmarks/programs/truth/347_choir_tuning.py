"""Choir tuning: estimate detuning in cents from harmonic peaks; debug flags via config."""
import keras
import numpy as np
from keras import layers, ops

CONFIG = {
    "voices": 5,
    "harmonics": 6,
    "epochs": 3,
    "compile": {"jit_compile": True, "run_eagerly": True, "steps_per_execution": 1},
    "optimizer": {"learning_rate": 0.01},
}


def rehearsal(n, cfg, seed):
    rng = np.random.default_rng(seed)
    cents = rng.normal(scale=12.0, size=(n, cfg["voices"]))
    order = np.arange(1, cfg["harmonics"] + 1)
    peaks = order * 2.0 ** (cents[..., None] / 1200.0) - order
    peaks += rng.normal(scale=1e-3, size=peaks.shape)
    return peaks.astype("float32"), (cents / 12.0).astype("float32")


class HarmonicVote(layers.Layer):
    """Each harmonic votes for the detuning; votes are weighted by a softmax."""

    def build(self, shape):
        self.logit = self.add_weight(shape=(shape[-1],), initializer="zeros", name="vote")
        self.gain = self.add_weight(shape=(), initializer="ones", name="gain")

    def call(self, peaks):
        order = ops.arange(1, peaks.shape[-1] + 1, dtype=peaks.dtype)
        votes = peaks / order * 100.0
        return self.gain * ops.sum(ops.softmax(self.logit) * votes, axis=-1)


def build(cfg):
    peaks = keras.Input((cfg["voices"], cfg["harmonics"]), name="peaks")
    vote = HarmonicVote(name="votes")(peaks)
    blend = layers.Dense(cfg["voices"], kernel_initializer="identity", name="blend")(vote)
    model = keras.Model(peaks, blend)
    model.compile(optimizer=keras.optimizers.Adam(**cfg["optimizer"]),
                  loss="mse", **cfg["compile"])
    return model


def main():
    keras.utils.set_random_seed(440)
    x, y = rehearsal(64, CONFIG, seed=1)
    model = build(CONFIG)
    print("compiled with jit:", model.jit_compile, "eager:", model.run_eagerly)
    hist = model.fit(x, y, epochs=CONFIG["epochs"], batch_size=16, verbose=0)
    print("loss", [round(v, 4) for v in hist.history["loss"]])
    print("weights of the harmonics",
          ops.convert_to_numpy(ops.softmax(model.get_layer("votes").logit)).round(3))


if __name__ == "__main__":
    main()
