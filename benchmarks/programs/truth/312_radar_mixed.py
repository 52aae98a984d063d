"""Rain-type classification of small radar patches in float16, with an own dynamic loss scale.

Steps whose float16 gradients overflow are skipped and the scale is halved, as it should be.
"""
import sys

import numpy as np
import tensorflow as tf
from tensorflow import keras

keras.mixed_precision.set_global_policy("mixed_float16")

TYPES = ["stratiform", "convective", "hail"]
PATCH = 16


class Scaler:
    """Dynamic loss scale. Starts high on purpose: the first steps find the right size."""

    def __init__(self, start=2.0 ** 24, grow_after=40):
        self.value = tf.Variable(start, dtype=tf.float32, trainable=False)
        self.good = 0
        self.grow_after = grow_after
        self.skipped = []

    def update(self, finite, step):
        if finite:
            self.good += 1
            if self.good >= self.grow_after:
                self.value.assign(self.value * 2.0)
                self.good = 0
            return True
        self.skipped.append(step)
        self.value.assign(self.value / 2.0)
        self.good = 0
        print(f"step {step}: inf/nan in gradients, update skipped, scale -> {float(self.value):.0f}", file=sys.stderr)
        return False


def patches(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    g = np.mgrid[:PATCH, :PATCH].transpose(1, 2, 0)[None] - rng.uniform(5, 11, (n, 1, 1, 2))
    width = np.array([9.0, 3.5, 2.0])[y][:, None, None]
    peak = np.array([25.0, 45.0, 60.0])[y][:, None, None]
    dbz = peak * np.exp(-(g ** 2).sum(-1) / (2 * width ** 2)) + rng.normal(0, 6, (n, PATCH, PATCH))
    return (dbz / 60.0).astype("float32")[..., None], y.astype("int32")


def build():
    return keras.Sequential([
        keras.Input((PATCH, PATCH, 1)),
        keras.layers.Conv2D(8, 3, activation="relu"),
        keras.layers.MaxPooling2D(),
        keras.layers.Conv2D(16, 3, activation="relu"),
        keras.layers.Flatten(),
        keras.layers.Dense(len(TYPES), dtype="float32"),
    ])


def main():
    keras.utils.set_random_seed(8)
    x, y = patches(1200, 0)
    model, opt, scaler = build(), keras.optimizers.Adam(2e-3), Scaler()
    opt.build(model.trainable_variables)

    @tf.function
    def gradients(bx, by):
        with tf.GradientTape() as tape:
            logits = model(bx, training=True)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=by, logits=logits))
            scaled = loss * scaler.value
        g = [t / scaler.value for t in tape.gradient(scaled, model.trainable_variables)]
        finite = tf.reduce_all([tf.reduce_all(tf.math.is_finite(t)) for t in g])
        return loss, g, finite

    ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(1200, seed=0).repeat(5).batch(40)
    total = 0.0
    for k, (bx, by) in enumerate(ds):
        loss, g, finite = gradients(bx, by)
        if scaler.update(bool(finite), k):
            opt.apply_gradients(zip(g, model.trainable_variables))
        total += float(loss)
        if k % 30 == 29:
            print(f"step {k + 1:3d} loss {total / 30:.3f} scale {float(scaler.value):.0f}")
            total = 0.0

    tx, ty = patches(300, 1)
    logits = model(tx).numpy()
    assert np.isfinite(logits).all()
    assert all(np.isfinite(w).all() for w in model.get_weights())
    error = np.mean(logits.argmax(1) != ty)
    print(f"{len(scaler.skipped)} steps skipped for overflow, error rate {error:.3f}")


if __name__ == "__main__":
    main()
