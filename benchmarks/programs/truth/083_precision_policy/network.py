"""The network of the scorer."""
import keras
from keras import layers


def make(vocabulary=50, width=8):
    tokens = keras.Input((9,), dtype="int32")
    x = layers.Embedding(vocabulary, width, name="embed")(tokens)
    x = layers.Bidirectional(layers.GRU(width), name="encode")(x)
    return keras.Model(tokens, layers.Dense(1, name="score", dtype="float32")(x))


def describe(model):
    return {layer.name: layer.dtype_policy.name for layer in model.layers}


network = make()
