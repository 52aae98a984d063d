"""Batch cool-down records from furnace thermocouples for a recurrent regressor."""
import keras
import numpy as np
import tensorflow as tf
from keras import layers

FEATURES = ("inner", "outer", "ambient")


def record(rng, minutes):
    t = np.arange(minutes)[:, None]
    tau = rng.uniform(20, 60)
    base = np.array([900.0, 700.0, 25.0])
    curve = 25 + (base - 25) * np.exp(-t / tau)
    return (curve + rng.normal(size=curve.shape)).astype("float32"), np.float32(tau)


class CooldownSource:
    """Iterates over records as they would come from the historian."""

    def __init__(self, n, seed, trim=None):
        self.n, self.seed, self.trim = n, seed, trim

    def __call__(self):
        rng = np.random.default_rng(self.seed)
        for _ in range(self.n):
            curve, tau = record(rng, int(rng.integers(40, 60)))
            yield {"curve": curve[: self.trim]}, tau


def scale(inputs, tau):
    centred = (inputs["curve"] - 25.0) / 900.0
    return {"curve": centred}, tf.math.log(tau)


def pipeline(source, batch_size):
    signature = ({"curve": tf.TensorSpec([None, len(FEATURES)], tf.float32)},
                 tf.TensorSpec([], tf.float32))
    ds = tf.data.Dataset.from_generator(source, output_signature=signature)
    ds = ds.map(scale, num_parallel_calls=1)
    ds = ds.shuffle(8, seed=1)
    ds = ds.batch(batch_size)
    return ds.prefetch(1)


def build():
    curve = keras.Input((None, len(FEATURES)), name="curve")
    x = layers.Masking(mask_value=0.0)(curve)
    x = layers.GRU(12)(x)
    return keras.Model(curve, layers.Dense(1)(x))


def main():
    keras.utils.set_random_seed(3)
    train = pipeline(CooldownSource(24, seed=8), batch_size=6)
    model = build()
    model.compile(keras.optimizers.Adam(1e-2), "mse")
    hist = model.fit(train, epochs=2, verbose=0)
    print("loss", [round(v, 3) for v in hist.history["loss"]])


if __name__ == "__main__":
    main()
