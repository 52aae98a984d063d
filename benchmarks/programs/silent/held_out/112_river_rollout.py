"""Roll a river-stage model forward several steps and average the outlook."""
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(41)
rng = np.random.default_rng(41)
STATIONS, LAGS = 5, 4

t = np.arange(240)
phase = rng.uniform(0, 6, STATIONS)
stage = np.sin(t[:, None] / 6.0 + phase) + rng.normal(0, 0.02, (240, STATIONS))
stage = stage.astype("float32")

frames = np.stack([stage[i:i + LAGS] for i in range(200)])
x = frames.transpose(0, 2, 1).reshape(-1, LAGS)
y = stage[LAGS:LAGS + 200].reshape(-1, 1)

model = tf.keras.Sequential([tf.keras.Input((LAGS,)), tf.keras.layers.Dense(1)])
model.compile(optimizer=tf.keras.optimizers.Adam(0.1), loss="mse")
model.fit(x, y, batch_size=100, epochs=15, verbose=0)


@tf.function(jit_compile=True)
def outlook(window, steps):
    path = tf.TensorArray(tf.float32, size=4, dynamic_size=True, element_shape=[STATIONS])
    for k in tf.range(steps):
        ahead = model(window, training=False)
        path = path.write(k, ahead[:, 0])
        window = tf.concat([window[:, 1:], ahead], axis=1)
    return path.stack()


start = tf.constant(stage[220 - LAGS:220].T)
path = outlook(start, tf.constant(10)).numpy()
real = stage[220:230]
print("mean stage ahead:", np.round(path.mean(axis=0), 3))
print("measured:        ", np.round(real.mean(axis=0), 3))
print(f"outlook error {np.abs(path.mean(axis=0) - real.mean(axis=0)).mean():.4f}")
