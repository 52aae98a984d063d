# Metric learning for loop closure: pairs of places, same place -> small distance
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import math
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(9)
MARGIN = 1.0

embed = tf.keras.Sequential([
    tf.keras.Input((16,)),
    tf.keras.layers.Dense(24, activation="tanh"),
    tf.keras.layers.Dense(4),
])
optimizer = tf.keras.optimizers.Adam(3e-3)


def place_pairs(n, rng):
    a = rng.normal(size=(n, 16)).astype("float32")
    same = rng.random(n) < 0.5
    b = np.where(same[:, None], a, rng.normal(size=(n, 16)))
    moved = rng.random(n) < 0.9
    b[moved] += rng.normal(0, 0.05, (moved.sum(), 16))
    return a, b.astype("float32"), same.astype("float32")


@tf.function(jit_compile=True)
def train_step(a, b, same):
    with tf.GradientTape() as tape:
        diff = embed(a) - embed(b)
        dist = tf.sqrt(tf.reduce_sum(diff * diff, axis=1))
        push = tf.square(tf.nn.relu(MARGIN - dist))
        loss = tf.reduce_mean(same * tf.square(dist) + (1.0 - same) * push)
    grads = tape.gradient(loss, embed.trainable_variables)
    grads, norm = tf.clip_by_global_norm(grads, 1.0)
    optimizer.apply_gradients(zip(grads, embed.trainable_variables))
    return loss, norm


optimizer.build(embed.trainable_variables)
rng = np.random.default_rng(17)
for step in range(60):
    loss, norm = train_step(*map(tf.constant, place_pairs(64, rng)))
    if step % 10 == 0:
        print(f"step {step:3d}  loss {float(loss):.4f}")
    if not math.isfinite(float(loss)):
        raise FloatingPointError(f"loss is {float(loss)} at step {step}")
print("done")
