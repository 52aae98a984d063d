"""Tremor severity from wrist accelerometers, with a report per clinic after each epoch."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

CONFIG = dict(window=48, batch=32, epochs=3, clinics=("Bern", "Lyon", "Turin"), val_share=0.2)


def recordings(cfg, n=500, seed=29):
    rng = np.random.default_rng(seed)
    grade = rng.integers(0, 2, n)
    t = np.arange(cfg["window"]) / 50
    f = rng.uniform(4, 6, (n, 1)) + 2 * grade[:, None]
    x = np.sin(2 * np.pi * f * t) * (0.4 + 0.3 * grade[:, None]) + rng.normal(0, 0.4, (n, len(t)))
    site = rng.choice(cfg["clinics"], n, p=[0.5, 0.3, 0.2])
    return x[..., None].astype("float32"), grade.astype("float32"), site


def pipeline(x, y, batch, shuffle):
    ds = tf.data.Dataset.from_tensor_slices((x, y))
    if shuffle:
        ds = ds.shuffle(len(x), seed=0)
    return ds.batch(batch, drop_remainder=True).prefetch(2)


class ClinicReport(keras.callbacks.Callback):
    """Accuracy by clinic on the validation part."""

    def __init__(self, ds, y, site):
        super().__init__()
        self.ds, self.y, self.site = ds, y, site
        self.table = []

    def on_epoch_end(self, epoch, logs=None):
        p = self.model.predict(self.ds, verbose=0)[:, 0] > 0
        row = {}
        for s in np.unique(self.site):
            here = self.site == s
            row[s] = float(np.mean(p[here] == self.y[here]))
        self.table.append(row)
        print(f"epoch {epoch}", {k: round(v, 2) for k, v in row.items()})


def build(cfg):
    keras.utils.set_random_seed(2)
    m = keras.Sequential([
        keras.Input((cfg["window"], 1)),
        keras.layers.Conv1D(12, 7, activation="relu"),
        keras.layers.GlobalAveragePooling1D(),
        keras.layers.Dense(1),
    ])
    m.compile(
        keras.optimizers.Adam(1e-2),
        keras.losses.BinaryCrossentropy(from_logits=True),
        metrics=[keras.metrics.BinaryAccuracy(threshold=0.0)],
    )
    return m


def main():
    cfg = CONFIG
    x, y, site = recordings(cfg)
    n_val = int(len(x) * cfg["val_share"])
    train = pipeline(x[n_val:], y[n_val:], cfg["batch"], shuffle=True)
    val = pipeline(x[:n_val], y[:n_val], cfg["batch"], shuffle=False)
    report = ClinicReport(val, y[:n_val], site[:n_val])
    model = build(cfg)
    h = model.fit(train, validation_data=val, epochs=cfg["epochs"], verbose=2, callbacks=[report])
    print("best epoch", int(np.argmin(h.history["val_loss"])), report.table[-1])


if __name__ == "__main__":
    main()
