# Vessel segmentation in half precision with a hand written step and loss scaling.
import keras
import numpy as np
import tensorflow as tf
from keras import layers, mixed_precision

mixed_precision.set_global_policy("mixed_float16")
keras.utils.set_random_seed(30)


def fundus(n, size=16, seed=0):
    rng = np.random.default_rng(seed)
    masks = np.zeros((n, size, size, 1), "float32")
    for m in masks:
        r = rng.integers(2, size - 2)
        m[r - 1:r + 1] = 1
        c = rng.integers(2, size - 2)
        m[:, c] = 1
    return masks * 0.6 + 0.2 * rng.standard_normal(masks.shape).astype("float32"), masks


def net():
    x = keras.Input((None, None, 1))
    h = layers.Conv2D(8, 3, padding="same", activation="relu")(x)
    h = layers.Conv2D(8, 3, padding="same", activation="relu")(h)
    h = layers.Conv2D(1, 1)(h)
    return keras.Model(x, layers.Activation("linear", dtype="float32", name="logits")(h))


model = net()
opt = mixed_precision.LossScaleOptimizer(keras.optimizers.Adam(5e-3), initial_scale=2.0 ** 10)
bce = keras.losses.BinaryCrossentropy(from_logits=True)


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        logits = model(x, training=True)
        loss = bce(y, logits)
        scaled = opt.scale_loss(loss)
    grads = tape.gradient(scaled, model.trainable_variables)
    opt.apply(grads, model.trainable_variables)
    return loss


x, y = fundus(50)
data = tf.data.Dataset.from_tensor_slices((x, y)).batch(16, drop_remainder=False)
history = []
for epoch in range(5):
    history.append(np.mean([float(step(a, b)) for a, b in data]))
print("compute dtype:", model.layers[1].compute_dtype, "| variables:", model.layers[1].kernel.dtype, "| logits:", model.output.dtype)
print("losses:", " ".join(f"{v:.3f}" for v in history))
assert history[-1] < history[0] and np.isfinite(history).all()
