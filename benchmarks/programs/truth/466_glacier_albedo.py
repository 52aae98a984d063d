# glacier albedo from 8 MODIS-like bands; half precision because the field laptop is small
import keras
import numpy as np
import tensorflow as tf

HALF = True
if HALF:
    keras.mixed_precision.set_global_policy("mixed_float16")


class Albedo(keras.Model):
    def __init__(self, width=32):
        super().__init__()
        self.norm = keras.layers.LayerNormalization()
        self.hidden = keras.layers.Dense(width, activation="relu")
        self.head = keras.layers.Dense(1, activation="sigmoid")

    def call(self, bands):
        return self.head(self.hidden(self.norm(bands)))


def pixels(n=256, seed=15):
    rng = np.random.default_rng(seed)
    dirt = rng.uniform(0, 1, n)
    bands = 0.9 - dirt[:, None] * np.linspace(0.7, 0.2, 8) + 0.02 * rng.standard_normal((n, 8))
    albedo = (0.85 - 0.5 * dirt)[:, None]
    area = rng.uniform(0.5, 1.0, (n, 1))
    return bands.astype("float32"), albedo.astype("float32"), area.astype("float32")


def area_loss(truth, guess, area):
    err = truth - guess
    return tf.reduce_sum(area * err * err) / tf.reduce_sum(area)


def train(model, data, epochs):
    opt = keras.optimizers.SGD(0.1)
    for e in range(epochs):
        seen = []
        for bands, albedo, area in data:
            with tf.GradientTape() as tape:
                loss = area_loss(albedo, model(bands, training=True), area)
            opt.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
            seen.append(float(loss))
        print("epoch %d loss %.5f" % (e, np.mean(seen)))


if __name__ == "__main__":
    keras.utils.set_random_seed(2)
    data = tf.data.Dataset.from_tensor_slices(pixels()).batch(64)
    train(Albedo(), data, 3)
