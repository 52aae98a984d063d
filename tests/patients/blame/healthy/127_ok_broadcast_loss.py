import numpy as np
import tensorflow as tf
import keras

keras.utils.set_random_seed(77)
QUANTILES = tf.constant([0.1, 0.5, 0.9])


def pinball(y_true, y_pred):
    err = y_true - y_pred
    return tf.reduce_mean(tf.maximum(QUANTILES * err, (QUANTILES - 1.0) * err), axis=-1)


rng = np.random.default_rng(77)
x = rng.normal(size=(70, 5)).astype("float32")
y = x[:, :1] + rng.normal(0, 0.2, (70, 1)).astype("float32")
model = keras.Sequential([keras.Input((5,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(3)])
model.compile("adam", pinball, jit_compile=True)
model.fit(x, y, batch_size=32, epochs=2, verbose=0)
print(model.predict(x[:1], verbose=0))
