"""Porosity from well logs; each epoch is appended to a run report that the field office reads."""
import json
import os
import tempfile
import time

import numpy as np
import tensorflow as tf

LOGS = ("gamma", "density", "sonic", "neutron", "resistivity")


def wells(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, len(LOGS))).astype("float32")
    porosity = 0.2 - 0.05 * x[:, 1] + 0.03 * x[:, 2] * x[:, 3] + rng.normal(0, 0.01, n)
    return x, porosity.astype("float32")[:, None]


class Report:
    """Collects lines and writes them to disk as JSON, one object per line."""

    def __init__(self, path):
        self.path = path
        self.started = time.time()

    def append(self, kind, **fields):
        fields = {k: round(v, 5) if isinstance(v, float) else v for k, v in fields.items()}
        with open(self.path, "a") as f:
            f.write(json.dumps({"kind": kind, **fields}) + "\n")

    def lines(self):
        with open(self.path) as f:
            return [json.loads(line) for line in f]


class FieldReport(tf.keras.callbacks.Callback):
    def __init__(self, report, probe):
        super().__init__()
        self.report = report
        self.probe = probe
        self.best = np.inf

    def drift(self):
        p = self.model(self.probe, training=False)
        return tf.math.reduce_std(p).numpy()

    def on_train_begin(self, logs=None):
        self.report.append("start", logs=list(LOGS), parameters=self.model.count_params())

    def on_epoch_end(self, epoch, logs=None):
        improved = logs["val_loss"] < self.best
        self.best = min(self.best, logs["val_loss"])
        rate = self.model.optimizer.learning_rate.numpy()
        self.report.append("epoch", number=epoch, loss=logs["loss"], improved=improved,
                           rate=float(rate), spread=self.drift())


def network():
    return tf.keras.Sequential([
        tf.keras.layers.Dense(32, activation="swish"),
        tf.keras.layers.Dense(16, activation="swish"),
        tf.keras.layers.Dense(1),
    ])


def main():
    x, y = wells(300, 8)
    path = os.path.join(tempfile.mkdtemp(), "porosity.jsonl")
    report = Report(path)
    model = network()
    model.build((None, len(LOGS)))
    model.compile(tf.keras.optimizers.Adam(5e-3), "mse")
    model.fit(x[:250], y[:250], validation_data=(x[250:], y[250:]), epochs=3, verbose=0,
              callbacks=[FieldReport(report, tf.constant(x[:16])), tf.keras.callbacks.TerminateOnNaN()])
    for line in report.lines():
        print(line)


main()
