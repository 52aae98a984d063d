"""Export a lake sediment model for serving, load it again and call its signature."""
import os
import tempfile

import numpy as np
import tensorflow as tf

FEATURES = ["depth_m", "grain_um", "organic"]


class SedimentModel(tf.Module):
    """Linear dating of a core, calibrated by ridge regression."""

    def __init__(self):
        super().__init__()
        self.coef = tf.Variable(tf.zeros([3, 1]))
        self.offset = tf.Variable(0.0)
        self.mean = tf.Variable(tf.zeros([3]))
        self.std = tf.Variable(tf.ones([3]))

    def calibrate(self, x, age, ridge=1e-2):
        self.mean.assign(x.mean(0))
        self.std.assign(x.std(0))
        z = (x - x.mean(0)) / x.std(0)
        gram = z.T @ z + ridge * np.eye(3, dtype="float32")
        self.coef.assign(np.linalg.solve(gram, z.T @ (age - age.mean()))[:, None])
        self.offset.assign(age.mean())

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32, name="cores")])
    def date(self, cores):
        z = (cores - self.mean) / self.std
        return {"age": tf.squeeze(z @ self.coef, -1) + self.offset}

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32, name="cores")])
    def contribution(self, cores):
        z = (cores - self.mean) / self.std
        return {"parts": z * self.coef[:, 0]}


def core_samples(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.gamma(2.0, 1.0, size=(n, 3)).astype("float32")
    age = 120 * x[:, 0] - 10 * x[:, 2] + rng.normal(size=n)
    return x, age.astype("float32")


def export(model, folder):
    path = os.path.join(folder, "sediment", "1")
    tf.saved_model.save(model, path, signatures={
        "serving_default": model.date, "contribution": model.contribution})
    return path


class Client:
    def __init__(self, path):
        self.loaded = tf.saved_model.load(path)
        self.date = self.loaded.signatures["serving_default"]
        print("signatures:", sorted(self.loaded.signatures))

    def ages(self, x):
        out = self.date(cores=tf.constant(x))
        return out["output_0"].numpy()


def main():
    x, age = core_samples(60, seed=13)
    model = SedimentModel()
    model.calibrate(x, age)
    with tempfile.TemporaryDirectory() as folder:
        client = Client(export(model, folder))
        got = client.ages(x[:5])
    for row, years in zip(x[:5], got):
        print(dict(zip(FEATURES, row.round(2).tolist())), "->", round(float(years), 1), "years")


if __name__ == "__main__":
    main()
