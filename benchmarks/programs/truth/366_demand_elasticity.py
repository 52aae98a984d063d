"""Price elasticity per product with survey weights and a hand-written step."""
import csv
import io

import keras
import numpy as np
import tensorflow as tf

COLUMNS = ["price", "income", "season", "promo"]


def survey(rows=256, seed=21):
    rng = np.random.default_rng(seed)
    buf = io.StringIO()
    out = csv.writer(buf)
    out.writerow(COLUMNS + ["demand", "weight"])
    for _ in range(rows):
        f = rng.normal(size=4)
        demand = -1.4 * f[0] + 0.6 * f[1] + 0.2 * f[2] * f[3] + 0.1 * rng.normal()
        out.writerow([*np.round(f, 5), round(demand, 5), round(rng.uniform(0.2, 3.0), 3)])
    buf.seek(0)
    return buf


def table(buf):
    recs = list(csv.DictReader(buf))
    x = np.array([[float(r[c]) for c in COLUMNS] for r in recs], "float32")
    y = np.array([[float(r["demand"])] for r in recs], "float32")
    w = np.array([float(r["weight"]) for r in recs], "float32")
    return x, y, w


class Fitter:
    def __init__(self, width=24, rate=0.02):
        self.net = keras.Sequential([
            keras.layers.Dense(width, activation="tanh"),
            keras.layers.Dense(1),
        ])
        self.opt = keras.optimizers.Adam(rate)

    def terms(self, x, y, w, training):
        err = tf.square(self.net(x, training=training) - y)
        return w * err

    @tf.function
    def step(self, x, y, w):
        with tf.GradientTape() as tape:
            terms = self.terms(x, y, w, True)
            loss = tf.reduce_mean(terms)
        grads = tape.gradient(loss, self.net.trainable_variables)
        self.opt.apply_gradients(zip(grads, self.net.trainable_variables))
        return loss, tf.shape(terms)


def main():
    keras.utils.set_random_seed(2)
    x, y, w = table(survey())
    ds = tf.data.Dataset.from_tensor_slices((x, y, w)).shuffle(256, seed=1).batch(64)
    fitter = Fitter()
    fitter.net.build((None, len(COLUMNS)))
    for epoch in range(4):
        for batch in ds:
            loss, shape = fitter.step(*batch)
        print(f"epoch {epoch} weighted loss {float(loss):.4f} over terms {tuple(shape.numpy().tolist())}")
    slope = fitter.net(x + [[0.1, 0, 0, 0]]) - fitter.net(x)
    print("elasticity", round(float(np.average(slope[:, 0], weights=w)) / 0.1, 3))


if __name__ == "__main__":
    main()
