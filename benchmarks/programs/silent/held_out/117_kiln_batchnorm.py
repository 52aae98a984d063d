"""Kiln quality model with batch normalisation in a hand-written loop."""
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(59)
rng = np.random.default_rng(59)
ROWS = 320

temperature = rng.normal(1180.0, 15.0, (ROWS, 1))
pressure = rng.normal(101.0, 0.4, (ROWS, 1))
x = np.hstack([temperature, pressure]).astype("float32")
quality = ((temperature - 1180.0) / 15.0 - (pressure - 101.0) / 0.4).astype("float32")

norm = tf.keras.layers.BatchNormalization(momentum=0.8)
model = tf.keras.Sequential([
    tf.keras.Input((2,)),
    norm,
    tf.keras.layers.Dense(16, activation="relu"),
    tf.keras.layers.Dense(1),
])
opt = tf.keras.optimizers.Adam(0.01)
mse = tf.keras.losses.MeanSquaredError()


@tf.function
def train_step(xb, yb):
    with tf.GradientTape() as tape:
        guess = model(xb, training=False)
        loss = mse(yb, guess)
    grads = tape.gradient(loss, model.trainable_variables)
    opt.apply_gradients(zip(grads, model.trainable_variables))
    return loss


data = tf.data.Dataset.from_tensor_slices((x[:256], quality[:256])).shuffle(256, seed=5).batch(32)
for epoch in range(20):
    for xb, yb in data:
        loss = train_step(xb, yb)

held = model(x[256:], training=False)
print(f"last loss {float(loss):.4f}")
print(f"held-out mse {float(mse(quality[256:], held)):.4f}")
print("tracked mean:", np.round(norm.moving_mean.numpy(), 1))
