# Stateful LSTM for household power usage
import numpy as np
import tensorflow as tf

batch_size = 16
window = 10


def make_series(n=160):
    t = np.arange(n)
    return (np.sin(t / 7.0) + 0.1 * np.random.RandomState(0).randn(n)).astype("float32")


def windows(series):
    X = np.array([series[i:i + window] for i in range(len(series) - window)])
    y = np.array([series[i + window] for i in range(len(series) - window)])
    return X[:, :, None], y


X, y = windows(make_series())
n_train = 70
n_test = (len(X) - n_train) // batch_size * batch_size
X_train, y_train = X[:n_train], y[:n_train]
X_test, y_test = X[n_train:n_train + n_test], y[n_train:n_train + n_test]
print("train", X_train.shape, "test", X_test.shape)

inp = tf.keras.Input(batch_shape=(batch_size, window, 1))
h = tf.keras.layers.LSTM(12, stateful=True)(inp)
out = tf.keras.layers.Dense(1)(h)
model = tf.keras.Model(inp, out)
model.compile("adam", "mse")

for epoch in range(1):
    model.fit(X_train, y_train, batch_size=batch_size, shuffle=False, epochs=1, verbose=2)
    model.layers[1].reset_states()
print("test mse", model.evaluate(X_test, y_test, batch_size=batch_size, verbose=0))
