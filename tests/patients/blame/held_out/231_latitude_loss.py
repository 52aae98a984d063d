import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf
import keras

N_LAT, N_LON, N_VAR = 18, 36, 3          # 10 degree grid; z500, t850, u10

lat = np.linspace(-85.0, 85.0, N_LAT)
lat_weight = tf.constant(np.cos(np.deg2rad(lat)), tf.float32)
lat_weight /= tf.reduce_mean(lat_weight)


class PeriodicConv(keras.layers.Layer):
    """Convolution that wraps around in longitude."""

    def __init__(self, filters, size=3, activation=None):
        super().__init__()
        self.pad = size // 2
        self.conv = keras.layers.Conv2D(filters, size, activation=activation)

    def call(self, x):
        x = tf.concat([x[:, :, -self.pad:], x, x[:, :, :self.pad]], axis=2)
        x = tf.pad(x, [[0, 0], [self.pad, self.pad], [0, 0], [0, 0]], mode="SYMMETRIC")
        return self.conv(x)


def weighted_mse(y_true, y_pred):
    error = tf.square(y_true - y_pred)
    return tf.reduce_mean(error * lat_weight, axis=[1, 2, 3])


def fields(days):
    rng = np.random.default_rng(1979)
    phase = np.arange(days)[:, None, None, None] * 0.2
    lon = np.deg2rad(np.arange(N_LON) * 10.0)[None, None, :, None]
    wave = np.arange(1, N_VAR + 1)[None, None, None, :]
    amplitude = np.cos(np.deg2rad(lat))[None, :, None, None]
    x = amplitude * np.sin(wave * lon - phase)
    return (x + rng.normal(0, 0.1, x.shape)).astype("float32")


state = fields(40)
lead = 3
X, Y = state[:-lead], state[lead:]

net = keras.Sequential([
    keras.Input((N_LAT, N_LON, N_VAR)),
    PeriodicConv(12, 5, "elu"),
    PeriodicConv(12, 3, "elu"),
    PeriodicConv(N_VAR),
])
net.compile(optimizer=keras.optimizers.Adam(1e-3), loss=weighted_mse)
net.fit(X[:30], Y[:30], batch_size=10, epochs=1, verbose=0)
print("persistence", float(tf.reduce_mean(weighted_mse(Y[30:], X[30:]))))
print("network    ", float(tf.reduce_mean(weighted_mse(Y[30:], net.predict(X[30:], verbose=0)))))
