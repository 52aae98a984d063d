"""Flood-stage quantile regression with gaps in the record and an EMA of the weights."""
import os
import tempfile

import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops

QUANTILES = np.array([0.05, 0.25, 0.5, 0.75, 0.95], "float32")


def gauges(n=640, leads=3, seed=13):
    rng = np.random.default_rng(seed)
    rain = rng.gamma(1.2, 8, (n, 10)).astype("float32")
    stage = 1 + 0.02 * rain.cumsum(1)[:, -leads:] + rng.gumbel(0, 0.15, (n, leads))
    stage[rng.random(stage.shape) < 0.15] = np.nan
    # gauge out of order for a whole day: rows with no target at all
    stage[rng.choice(n, 20, replace=False)] = np.nan
    return rain / 20, stage.astype("float32")


@keras.saving.register_keras_serializable("flood")
class PinballLoss(keras.losses.Loss):
    """y (batch, lead) against y_hat (batch, lead, quantile): the broadcast over quantiles is wanted."""

    def call(self, y_true, y_pred):
        q = ops.convert_to_tensor(QUANTILES)
        seen = ops.logical_not(ops.isnan(y_true))
        y = ops.where(seen, y_true, ops.zeros_like(y_true))
        e = y[..., None] - y_pred
        loss = ops.maximum(q * e, (q - 1) * e) * ops.cast(seen, "float32")[..., None]
        return ops.sum(loss, axis=(1, 2)) / ops.maximum(ops.sum(ops.cast(seen, "float32"), axis=1), 1.0)


@keras.saving.register_keras_serializable("flood")
class Coverage(keras.metrics.Metric):
    def __init__(self, name="coverage", **kw):
        super().__init__(name=name, **kw)
        self.hit = self.add_weight(name="hit", initializer="zeros")
        self.n = self.add_weight(name="n", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        seen = ops.logical_not(ops.isnan(y_true))
        inside = ops.logical_and(y_true >= y_pred[..., 0], y_true <= y_pred[..., -1])
        self.hit.assign_add(ops.sum(ops.cast(ops.logical_and(inside, seen), "float32")))
        self.n.assign_add(ops.sum(ops.cast(seen, "float32")))

    def result(self):
        # NaN before the first observation, which the logger prints as such
        return self.hit / self.n


def build(leads):
    keras.utils.set_random_seed(4)
    inp = keras.Input((10,))
    h = layers.Dense(32, "relu")(inp)
    base = layers.Dense(leads)(h)[..., None]
    gaps = layers.Dense(leads * (len(QUANTILES) - 1), "softplus")(h)
    gaps = layers.Reshape((leads, len(QUANTILES) - 1))(gaps)
    return keras.Model(inp, layers.Concatenate(-1)([base, base + ops.cumsum(gaps, -1)]))


def main():
    x, y = gauges()
    model = build(y.shape[1])
    opt = keras.optimizers.Adam(5e-3, use_ema=True, ema_momentum=0.9, ema_overwrite_frequency=None)
    model.compile(opt, PinballLoss(), metrics=[Coverage()], jit_compile=False)
    print("coverage before any data:", float(Coverage().result()))
    h = model.fit(x[:500], y[:500], validation_data=(x[500:], y[500:]), batch_size=50, epochs=8, verbose=0)
    raw = h.history["val_loss"][-1]
    opt.finalize_variable_values(model.trainable_variables)
    ema, cov = model.evaluate(x[500:], y[500:], verbose=0)
    print(f"val loss raw {raw:.3f} ema {ema:.3f} coverage {cov:.2f}")
    path = os.path.join(tempfile.mkdtemp(), "flood.keras")
    model.save(path)
    again = keras.models.load_model(path)
    gap = float(np.max(np.abs(again.predict(x[:9], verbose=0) - model.predict(x[:9], verbose=0))))
    print("reload differs by", gap)
    print("nan targets", int(np.isnan(y).sum()), "of", y.size, "- masked")


if __name__ == "__main__":
    main()
