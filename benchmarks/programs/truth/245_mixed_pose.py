"""Keypoint heatmaps for a small pose network, trained in half precision with a hand-written loop."""
import math

import numpy as np
import tensorflow as tf
from tensorflow import keras

POLICY = "mixed_float16"
SIDE, JOINTS, BATCH = 24, 4, 8


class CoordinateFrame(keras.layers.Layer):
    """Adds normalised x and y coordinates, and a radial falloff, to the channels."""

    def build(self, shape):
        h, w = shape[1], shape[2]
        yy, xx = np.meshgrid(np.linspace(-1, 1, h), np.linspace(-1, 1, w), indexing="ij")
        radius = np.exp(-(yy ** 2 + xx ** 2))
        self.plane = tf.constant(np.stack([yy, xx, radius], -1)[None], tf.float32)

    def call(self, x):
        plane = tf.repeat(self.plane, tf.shape(x)[0], axis=0)
        return tf.concat([x, plane], axis=-1)

    def compute_output_shape(self, shape):
        return (*shape[:-1], shape[-1] + 3)


class SoftArgmax(keras.layers.Layer):
    def __init__(self, **kw):
        super().__init__(dtype="float32", **kw)

    def call(self, heat):
        b, h, w, j = heat.shape[0], heat.shape[1], heat.shape[2], heat.shape[3]
        flat = tf.nn.softmax(tf.reshape(heat, [-1, h * w, j]), axis=1)
        grid = tf.cast(tf.linspace(0.0, 1.0, h), heat.dtype)
        prob = tf.reshape(flat, [-1, h, w, j])
        y = tf.einsum("bhwj,h->bj", prob, grid)
        x = tf.einsum("bhwj,w->bj", prob, grid)
        return tf.stack([y, x], -1)


def figures(n, rng):
    pts = rng.uniform(0.15, 0.85, (n, JOINTS, 2))
    yy, xx = np.mgrid[0:SIDE, 0:SIDE] / (SIDE - 1)
    img = np.zeros((n, SIDE, SIDE, 1))
    for j in range(JOINTS):
        d = (yy[None] - pts[:, j, 0, None, None]) ** 2 + (xx[None] - pts[:, j, 1, None, None]) ** 2
        img[..., 0] += (1 + j) * np.exp(-d / 0.004)
    return img.astype("float32"), pts.astype("float32")


def network():
    inp = keras.Input((SIDE, SIDE, 1))
    h = keras.layers.Conv2D(12, 3, padding="same", activation="relu")(inp)
    h = CoordinateFrame()(h)
    h = keras.layers.Conv2D(12, 3, padding="same", activation="relu")(h)
    heat = keras.layers.Conv2D(JOINTS, 1)(h)
    return keras.Model(inp, SoftArgmax()(heat))


def main():
    keras.mixed_precision.set_global_policy(POLICY)
    rng = np.random.default_rng(5)
    images, points = figures(32, rng)
    model = network()
    opt = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.Adam(3e-3))
    data = tf.data.Dataset.from_tensor_slices((images, points)).shuffle(32, seed=1).batch(BATCH)
    opt.build(model.trainable_variables)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.norm(model(x, training=True) - y + 1e-6, axis=-1))
            scaled = opt.scale_loss(loss)
        opt.apply(tape.gradient(scaled, model.trainable_variables))
        return loss

    for epoch in range(2):
        losses = [float(step(x, y)) for x, y in data]
        mean = math.fsum(losses) / len(losses)
        print(f"epoch {epoch} error {mean:.4f} of the frame")


if __name__ == "__main__":
    main()
