"""Dust on solar panels in float16 with a dynamic loss scale; the first steps overflow."""
import keras
import numpy as np
import tensorflow as tf
from keras import layers


def panels(count, seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=(count, 12, 12, 1)).astype("float32")
    dust = x.mean((1, 2)) + 0.5 * x.std((1, 2))
    return x, (300.0 * dust).astype("float32")


def build():
    return keras.Sequential([
        keras.Input((12, 12, 1)),
        layers.Conv2D(8, 3, activation="relu"),
        layers.GlobalAveragePooling2D(),
        layers.Dense(16, activation="relu"),
        layers.Dense(1, dtype="float32"),
    ])


def main():
    keras.utils.set_random_seed(8)
    keras.mixed_precision.set_global_policy("mixed_float16")
    x, y = panels(160, seed=5)
    model = build()
    opt = keras.optimizers.LossScaleOptimizer(keras.optimizers.Adam(0.01), initial_scale=2.0 ** 15)
    opt.build(model.trainable_variables)

    @tf.function
    def step(a, b):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(a, training=True) - b))
            scaled = opt.scale_loss(loss)
        grads = tape.gradient(scaled, model.trainable_variables)
        finite = tf.reduce_all([tf.reduce_all(tf.math.is_finite(g)) for g in grads])
        opt.apply_gradients(zip(grads, model.trainable_variables))
        return loss, finite

    ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(32, drop_remainder=True).repeat(8)
    losses, skipped = [], 0
    for a, b in ds:
        loss, finite = step(a, b)
        losses.append(float(loss))
        if not bool(finite):
            skipped += 1
            print("step", len(losses), "gradients are inf or nan, step skipped, scale now",
                  float(opt.dynamic_scale))
    print("steps", len(losses), "skipped", skipped, "loss", round(losses[0]), "to", round(losses[-1]))
    assert skipped < len(losses) // 2 and losses[-1] < losses[0]
    assert model.layers[0].compute_dtype == "float16"


if __name__ == "__main__":
    main()
