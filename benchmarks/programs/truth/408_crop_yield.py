"""Yield model for winter wheat parcels, custom loss with parcel weights."""
import numpy as np
import pandas as pd
import tensorflow as tf
from tensorflow import keras

FEATURES = ["rain", "gdd", "nitrogen", "clay"]
RNG = np.random.default_rng(77)


def parcels(n=900):
    df = pd.DataFrame({
        "rain": RNG.gamma(6, 60, n),
        "gdd": RNG.normal(1900, 150, n),
        "nitrogen": RNG.uniform(40, 220, n),
        "clay": RNG.uniform(5, 55, n),
        "area": RNG.lognormal(1, 0.5, n),
    })
    df["yield"] = (
        3 + 0.02 * df.nitrogen - 6e-5 * df.nitrogen**2
        + 0.004 * df.rain + 0.001 * (df.gdd - 1900) - 0.01 * df.clay
        + RNG.normal(0, 0.2, n)
    )
    return df


def standardise(train, other):
    mu, sd = train[FEATURES].mean(), train[FEATURES].std()
    return [((d[FEATURES] - mu) / sd).to_numpy("float32") for d in (train, other)]


def dataset(x, df, batch=64, training=True):
    y = df["yield"].to_numpy("float32")
    w = (df["area"] / df["area"].mean()).to_numpy("float32")
    ds = tf.data.Dataset.from_tensor_slices((x, y, w))
    if training:
        ds = ds.shuffle(2048, seed=1)
    return ds.batch(batch, drop_remainder=training)


class AreaWeighted(keras.Model):
    """Dense net whose loss weighs a parcel by its area."""

    def __init__(self, units=48):
        super().__init__()
        self.h1 = keras.layers.Dense(units, "relu")
        self.h2 = keras.layers.Dense(units, "relu")
        self.out = keras.layers.Dense(1)

    def call(self, x):
        return self.out(self.h2(self.h1(x)))


def train(model, ds, epochs):
    opt = keras.optimizers.Adam(5e-3)

    @tf.function
    def step(x, y, w):
        with tf.GradientTape() as tape:
            pred = model(x, training=True)
            huber = tf.where(tf.abs(y - pred) < 1.0, 0.5 * (y - pred) ** 2, tf.abs(y - pred) - 0.5)
            loss = tf.reduce_mean(w * huber)
        g = tape.gradient(loss, model.trainable_variables)
        opt.apply_gradients(zip(g, model.trainable_variables))
        return loss

    for e in range(epochs):
        total = [step(*b) for b in ds]
        if e % 10 == 9:
            print(f"epoch {e + 1} loss {np.mean(total):.4f}")


def main():
    keras.utils.set_random_seed(3)
    df = parcels()
    tr, te = df.iloc[:700], df.iloc[700:]
    xtr, xte = standardise(tr, te)
    model = AreaWeighted()
    train(model, dataset(xtr, tr), epochs=30)
    pred = model.predict(xte, verbose=0)[:, 0]
    truth = te["yield"].to_numpy()
    r2 = 1 - np.sum((truth - pred) ** 2) / np.sum((truth - truth.mean()) ** 2)
    print(f"parcels {len(te)}  R2 {r2:.2f}  spread of predictions {pred.std():.3f} of {truth.std():.3f}")


if __name__ == "__main__":
    main()
