import os
import numpy as np
import keras
from keras import layers

# FOLD_BN=1 merges batch normalisation into the dense layer before it; it only makes inference faster.
FOLD_BN = os.environ.get("FOLD_BN", "1") == "1"


def build(dim=6, hidden=10):
    inp = keras.Input((dim,))
    h = layers.Dense(hidden, name="fc")(inp)
    h = layers.BatchNormalization(name="bn", momentum=0.8)(h)
    h = layers.Activation("relu")(h)
    return keras.Model(inp, layers.Dense(1, name="out")(h))


def folded(model, dim=6, hidden=10):
    kernel, bias = model.get_layer("fc").get_weights()
    gamma, beta, mean, var = model.get_layer("bn").get_weights()
    eps = model.get_layer("bn").epsilon
    scale = gamma / np.sqrt(var + eps)
    inp = keras.Input((dim,))
    h = layers.Dense(hidden, activation="relu", name="fc")(inp)
    small = keras.Model(inp, layers.Dense(1, name="out")(h))
    small.get_layer("fc").set_weights([kernel * scale, (bias - mean) * scale + beta])
    small.get_layer("out").set_weights(model.get_layer("out").get_weights())
    return small


keras.utils.set_random_seed(53)
rng = np.random.default_rng(53)
x = (3 * rng.normal(size=(160, 6))).astype("float32")
y = (x[:, :1] - np.abs(x[:, 1:2])).astype("float32")
model = build()
model.compile(optimizer=keras.optimizers.Adam(0.03), loss="mse")
model.fit(x, y, epochs=20, batch_size=40, verbose=0)
net = folded(model) if FOLD_BN else model
pred = net.predict(x, verbose=0)
print("served error %.4f" % float(np.mean((pred - y) ** 2)))
