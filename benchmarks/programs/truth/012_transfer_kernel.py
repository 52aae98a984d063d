"""Copy the encoder of an autoencoder into a classifier."""
import numpy as np
import keras
from keras import layers

rng = np.random.default_rng(8)
pixels = rng.random((128, 49)).astype("float32")
digits = rng.integers(0, 4, 128)


def make_autoencoder(code):
    inp = keras.Input((49,))
    z = layers.Dense(code, activation="relu", name="encoder")(inp)
    return keras.Model(inp, layers.Dense(49, activation="sigmoid", name="decoder")(z))


def make_classifier(code):
    inp = keras.Input((49,))
    z = layers.Dense(code, activation="relu", name="encoder")(inp)
    return keras.Model(inp, layers.Dense(4, name="head")(z))


def transfer(source, target):
    for layer in target.layers:
        names = [l.name for l in source.layers]
        if layer.name in names:
            weights = source.get_layer(layer.name).get_weights()
            layer.set_weights([w.T if w.ndim == 2 else w for w in weights])


ae = make_autoencoder(12)
ae.compile("adam", "mse")
ae.fit(pixels, pixels, epochs=1, verbose=0)
clf = make_classifier(12)
transfer(ae, clf)
clf.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
clf.fit(pixels, digits, epochs=1, verbose=0)
print("transferred")
