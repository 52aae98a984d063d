import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


def backbone(channels, prefix):
    return keras.Sequential(
        [
            keras.Input((24, 24, channels)),
            layers.Conv2D(8, 5, strides=2, padding="same", activation="relu", name="stem"),
            layers.Conv2D(16, 3, padding="same", activation="relu", name="body1"),
            layers.MaxPooling2D(),
            layers.Conv2D(24, 3, padding="same", activation="relu", name="body2"),
            layers.GlobalAveragePooling2D(),
        ],
        name=prefix + "_backbone",
    )


def pretend_pretraining(net, rng):
    head = layers.Dense(4, activation="softmax")
    full = keras.Sequential([net, head])
    full.compile("sgd", "sparse_categorical_crossentropy")
    full.fit(rng.random((24, 24, 24, 3)), rng.integers(0, 4, 24), verbose=0)
    return net


def to_single_channel(weights):
    kernel, bias = weights
    return [kernel.sum(axis=2), bias]


def transplant(source, target, adapt):
    for layer in target.layers:
        if not layer.weights:
            continue
        donor = source.get_layer(layer.name).get_weights()
        if layer.name in adapt:
            donor = adapt[layer.name](donor)
        layer.set_weights(donor)
        layer.trainable = layer.name in adapt
    return target


rng = np.random.default_rng(0)
colour = pretend_pretraining(backbone(3, "colour"), rng)
xray = transplant(colour, backbone(1, "xray"), {"stem": to_single_channel})

films = rng.random((30, 24, 24, 1)).astype("float32")
fracture = rng.integers(0, 2, (30, 1))
clf = keras.Sequential([xray, layers.Dense(1, activation="sigmoid")])
clf.compile("adam", "binary_crossentropy", metrics=["accuracy"])
clf.fit(films, fracture, epochs=1, verbose=0)
print(clf.evaluate(films, fracture, verbose=0))
