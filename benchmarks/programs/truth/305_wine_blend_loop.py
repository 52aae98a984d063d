from pathlib import Path
import tempfile

import numpy as np
import pandas as pd
import tensorflow as tf

"""Blend optimiser for a winery.

1. learn taste scores from the lab sheet (custom loop),
2. look for the blend of five base wines with the best predicted score.
"""

LAB = ["alcohol", "acid", "sugar", "ph", "tannin", "so2"]


def write_sheet(path, n=900, seed=2):
    rng = np.random.default_rng(seed)
    df = pd.DataFrame(rng.normal([12.5, 6.0, 4.0, 3.4, 2.0, 60], [0.8, 1.0, 2.0, 0.15, 0.6, 15], (n, 6)), columns=LAB)
    df["score"] = (
        85 + 2 * (df.alcohol - 12.5) - 1.5 * (df.acid - 6) ** 2 + 2 * df.tannin - 0.05 * (df.so2 - 50) + rng.normal(0, 0.6, n)
    ).round(1)
    df.to_csv(path, index=False)


def read_sheet(path):
    df = pd.read_csv(path)
    return df[LAB].to_numpy(), df["score"].to_numpy()


class Scaler:
    def __init__(self, x):
        self.mean = x.mean(axis=0)
        self.std = x.std(axis=0)

    def __call__(self, x):
        return (x - self.mean) / self.std


class Taster(tf.Module):
    def __init__(self, scaler, seed=0):
        super().__init__()
        self.scaler = scaler
        init = tf.keras.initializers.GlorotUniform(seed)
        self.w1 = tf.Variable(init([len(LAB), 24]), name="w1")
        self.b1 = tf.Variable(tf.zeros([24]), name="b1")
        self.w2 = tf.Variable(init([24, 1]), name="w2")
        self.b2 = tf.Variable([85.0], name="b2")

    @tf.Module.with_name_scope
    def score(self, x):
        h = tf.nn.relu(tf.matmul(x, self.w1) + self.b1)
        return tf.squeeze(tf.matmul(h, self.w2) + self.b2, axis=-1)


def train(taster, x, y, epochs=12):
    opt = tf.keras.optimizers.Adam(0.02)
    opt.build(taster.trainable_variables)
    z = tf.constant(taster.scaler(x), tf.float32)
    ds = tf.data.Dataset.from_tensor_slices((z, tf.constant(y, tf.float32))).shuffle(900, seed=1).batch(50)

    @tf.function(jit_compile=True)
    def step(xb, yb):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((taster.score(xb) - yb) ** 2)
        grads = tape.gradient(loss, taster.trainable_variables)
        opt.apply_gradients(zip(grads, taster.trainable_variables))
        return loss

    for epoch in range(epochs):
        losses = [step(xb, yb) for xb, yb in ds]
        if epoch % 4 == 3:
            print(f"epoch {epoch + 1}: mse {np.mean(losses):.3f}")


def best_blend(taster, bases, iters=80):
    """Gradient ascent on the logits of the shares."""
    table = tf.constant(bases)
    logits = tf.Variable(tf.zeros([len(bases)]))
    opt = tf.keras.optimizers.Adam(0.1)
    for _ in range(iters):
        with tf.GradientTape() as tape:
            share = tf.nn.softmax(logits)
            blend = tf.linalg.matvec(table, share, transpose_a=True)
            loss = -taster.score(taster.scaler(blend)[None])[0]
        opt.apply_gradients([(tape.gradient(loss, logits), logits)])
    return tf.nn.softmax(logits).numpy(), -float(loss)


def main():
    tf.keras.utils.set_random_seed(0)
    sheet = Path(tempfile.mkdtemp()) / "lab.csv"
    write_sheet(sheet)
    x, y = read_sheet(sheet)
    taster = Taster(Scaler(x))
    train(taster, x, y)
    share, score = best_blend(taster, x[np.argsort(y)[-5:]])
    print("shares:", share.round(2), f"predicted score {score:.1f}")


if __name__ == "__main__":
    main()
