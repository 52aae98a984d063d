"""Second pass over the rows a price model finds hardest."""
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(29)
rng = np.random.default_rng(29)
ROWS, TRAIN = 400, 300

x = rng.uniform(-1, 1, (ROWS, 3)).astype("float32")
price = (np.sin(3 * x[:, 0]) + x[:, 1] * x[:, 2])[:, None].astype("float32")

model = tf.keras.Sequential([
    tf.keras.Input((3,)),
    tf.keras.layers.Dense(24, activation="tanh"),
    tf.keras.layers.Dense(24, activation="tanh"),
    tf.keras.layers.Dense(1),
])
opt = tf.keras.optimizers.Adam(0.01)


@tf.function
def step(xb, yb):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(xb, training=True) - yb))
    grads = tape.gradient(loss, model.trainable_variables)
    opt.apply_gradients(zip(grads, model.trainable_variables))
    return loss


def test_mse():
    return float(tf.reduce_mean(tf.square(model(x[TRAIN:]) - price[TRAIN:])))


for epoch in range(12):
    for rows in np.array_split(rng.permutation(TRAIN), 10):
        step(tf.gather(x, rows), tf.gather(price, rows))
before = test_mse()

for round_no in range(10):
    pool = rng.choice(TRAIN, 120, replace=False)
    miss = tf.abs(model(x[pool]) - price[pool])[:, 0]
    worst = tf.math.top_k(miss, k=60).indices.numpy()
    hard_x = tf.gather(x, pool[worst])
    hard_y = tf.gather(price, worst)
    for start in range(0, 60, 30):
        step(hard_x[start:start + 30], hard_y[start:start + 30])

print(f"test mse after the first pass {before:.4f}")
print(f"test mse after the hard rows  {test_mse():.4f}")
