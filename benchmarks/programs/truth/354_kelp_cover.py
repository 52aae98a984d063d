"""Kelp cover from drone tiles in mixed precision, with a loss scale that skips steps."""
import keras
import numpy as np
import tensorflow as tf
from keras import layers


def tiles(n, seed):
    rng = np.random.default_rng(seed)
    cover = rng.random(n)
    img = rng.normal(scale=0.2, size=(n, 15, 17, 3)) + cover[:, None, None, None]
    img[0] *= 40.0
    return img.astype("float32"), cover.astype("float32")[:, None]


def build():
    x = keras.Input((15, 17, 3))
    h = layers.ZeroPadding2D(((0, 1), (0, 3)))(x)
    h = layers.SeparableConv2D(8, 3, strides=2, padding="same", activation="relu")(h)
    h = layers.AveragePooling2D(2)(h)
    h = layers.Permute((3, 1, 2))(h)
    h = layers.Flatten()(h)
    out = layers.Dense(1, dtype="float32", name="cover")(h)
    return keras.Model(x, out)


class ScaledTrainer:
    """Loss scaling by hand, so that skipped steps are counted and shown."""

    def __init__(self, model, scale):
        self.model = model
        self.opt = keras.optimizers.SGD(0.01, momentum=0.9)
        self.scale = scale
        self.skipped = 0

    def step(self, x, y):
        with tf.GradientTape() as tape:
            pred = self.model(x, training=True)
            loss = tf.reduce_mean(tf.square(pred - y))
            scaled = tf.cast(loss, tf.float16) * tf.constant(self.scale, tf.float16)
        grads = tape.gradient(scaled, self.model.trainable_variables)
        finite = all(bool(tf.reduce_all(tf.math.is_finite(g))) for g in grads)
        if not finite or not np.isfinite(float(scaled)):
            self.skipped += 1
            self.scale /= 4.0
            print(f"inf or nan in the gradients, step skipped, scale now {self.scale:g}")
            return None
        grads = [tf.cast(g, tf.float32) / self.scale for g in grads]
        grads, _ = tf.clip_by_global_norm(grads, 1.0)
        self.opt.apply_gradients(zip(grads, self.model.trainable_variables))
        return float(loss)


def main():
    keras.utils.set_random_seed(11)
    keras.mixed_precision.set_global_policy("mixed_float16")
    img, cover = tiles(24, seed=5)
    model = build()
    print("hidden", model.layers[2].compute_dtype, "output", model.layers[-1].compute_dtype)
    trainer = ScaledTrainer(model, scale=32768.0)
    losses = []
    for epoch in range(6):
        for i in range(0, 24, 8):
            loss = trainer.step(img[i:i + 8], cover[i:i + 8])
            if loss is not None:
                losses.append(loss)
    print("steps taken", len(losses), "skipped", trainer.skipped, "last loss", round(losses[-1], 4))
    assert np.isfinite(losses).all()
    keras.mixed_precision.set_global_policy("float32")


if __name__ == "__main__":
    main()
