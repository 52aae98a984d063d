import numpy as np
import tensorflow as tf
import keras

keras.utils.set_random_seed(77)
QUANTILES = tf.constant([[0.1], [0.5], [0.9]])


def pinball(y_true, y_pred):
    err = y_true - y_pred
    upper = QUANTILES * err
    lower = (QUANTILES - 1.0) * err
    return tf.reduce_mean(tf.maximum(upper, lower), axis=-1)


def demand(n=140):
    rng = np.random.default_rng(77)
    price = rng.uniform(1, 5, n)
    promo = rng.integers(0, 2, n)
    sold = 100 - 12 * price + 20 * promo + rng.normal(0, 5 + 3 * promo, n)
    x = np.stack([price, promo], axis=1).astype("float32")
    return x, (sold / 100).astype("float32").reshape(-1, 1)


x, y = demand()
forecaster = keras.Sequential([
    keras.layers.Input((2,)),
    keras.layers.Normalization(),
    keras.layers.Dense(16, activation="tanh"),
    keras.layers.Dense(3),
])
forecaster.layers[0].adapt(x)
forecaster.compile(optimizer="adam", loss=pinball)
forecaster.fit(x, y, batch_size=35, epochs=2, verbose=0)

low, mid, high = forecaster.predict(x[:5], verbose=0).T
print(np.round(high - low, 3), mid.shape)
