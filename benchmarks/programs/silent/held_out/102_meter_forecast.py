"""Next-day load for a set of meters; the forecasts are summed for the grid."""
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(3)
rng = np.random.default_rng(3)

METERS, DAYS, BATCH = 250, 14, 32
level = rng.uniform(5.0, 15.0, (METERS, 1))
history = (level + rng.normal(0, 0.6, (METERS, DAYS))).astype("float32")
tomorrow = (level + rng.normal(0, 0.6, (METERS, 1))).astype("float32")

model = tf.keras.Sequential([
    tf.keras.Input((DAYS,)),
    tf.keras.layers.Rescaling(0.1),
    tf.keras.layers.Dense(16, activation="relu"),
    tf.keras.layers.Dense(1),
])
model.compile(optimizer=tf.keras.optimizers.Adam(0.01), loss="mse")

feed = tf.data.Dataset.from_tensor_slices((history, tomorrow))
feed = feed.shuffle(METERS, seed=3).batch(BATCH, drop_remainder=True)
model.fit(feed, epochs=25, verbose=0)


@tf.function
def infer(block):
    return model(block, training=False)


def forecast_all(rows):
    out = np.zeros((len(rows), 1), dtype="float32")
    for b in range(len(rows) // BATCH):
        lo = b * BATCH
        out[lo:lo + BATCH] = infer(tf.constant(rows[lo:lo + BATCH])).numpy()
    return out


load = forecast_all(history)
print("meters:", load.shape[0])
print(f"forecast total {load.sum():.1f}")
print(f"true total     {tomorrow.sum():.1f}")
print(f"rmse {np.sqrt(np.mean((load - tomorrow) ** 2)):.3f}")
