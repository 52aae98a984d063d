"""Lesion screening with random augmentation, a compiled Keras model and batches of any size."""
import logging

import numpy as np
import tensorflow as tf
from tensorflow import keras

log = logging.getLogger("lesions")
logging.basicConfig(level=logging.WARNING)
SIDE = 20


def pictures(n, rng):
    y = rng.integers(0, 2, n)
    grid = np.stack(np.meshgrid(*[np.linspace(-1, 1, SIDE)] * 2), -1)
    stretch = np.where(y == 1, 2.2, 1.0)[:, None, None]
    d = (grid[None, ..., 0] * stretch) ** 2 + grid[None, ..., 1] ** 2
    x = 1.0 - 0.7 * np.exp(-6 * d)[..., None] * np.array([0.6, 0.9, 1.0])
    return (x + rng.normal(0, 0.03, x.shape)).astype("float32"), y.astype("float32")


def augment(image, label):
    image = tf.image.random_flip_left_right(image)
    image = tf.image.random_brightness(image, 0.1)
    turns = tf.random.uniform([], 0, 4, tf.int32)
    image = tf.image.rot90(image, turns)
    image = tf.image.random_crop(image, [SIDE - 4, SIDE - 4, 3])
    return image, label


class Screen(keras.Model):
    """Adds the mean prediction per batch to the logs, so that drifting priors are noticed."""

    def __init__(self, *a, **kw):
        super().__init__(*a, **kw)
        self.prior = keras.metrics.Mean(name="prior")

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            p = self(x, training=True)
            loss = self.compute_loss(x, y, p)
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        self.prior.update_state(p)
        return {"bce": loss, "prior": self.prior.result()}


def network():
    x = keras.Input((None, None, 3))
    h = keras.layers.Conv2D(8, 3, activation="relu")(x)
    h = keras.layers.GlobalMaxPooling2D()(h)
    return Screen(x, keras.layers.Dense(1, activation="sigmoid")(h))


def colours_used(batch):
    values, _, counts = tf.unique_with_counts(tf.reshape(tf.cast(batch * 8, tf.int32), [-1]))
    return tf.strings.join([tf.strings.as_string(tf.size(values)), tf.strings.as_string(tf.reduce_max(counts))], "/")


def fastest(function, probe):
    """Compiles the function where that is possible, and keeps the plain graph where it is not."""
    compiled = tf.function(function, jit_compile=True)
    try:
        compiled(probe)
    except (tf.errors.InvalidArgumentError, tf.errors.UnimplementedError) as e:
        log.error("%s stays uncompiled: %s", function.__name__, str(e).strip()[:400])
        return tf.function(function)
    return compiled


def main():
    keras.utils.set_random_seed(23)
    x, y = pictures(75, np.random.default_rng(23))
    ds = tf.data.Dataset.from_tensor_slices((x, y[:, None])).map(augment).batch(20)
    model = network()
    model.compile("adam", "binary_crossentropy", jit_compile=True)
    model.fit(ds, epochs=2, verbose=2)
    for n in (1, 7):
        print("batch", n, model.predict(x[:n], verbose=0).shape)
    report = fastest(colours_used, tf.constant(x[:4]))
    for n in (4, 9):
        print("colours/most frequent:", report(tf.constant(x[:n])).numpy().decode())


if __name__ == "__main__":
    main()
