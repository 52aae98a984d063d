"""Classifier of benthic habitat from nine spectral bands."""
import keras
from keras import layers

from habitat import RELEASES


def build(release, width=16):
    bands = keras.Input((9,), name="bands")
    h = layers.Dense(width, activation="gelu", name="mix")(bands)
    h = layers.LayerNormalization(name="norm")(h)
    logits = layers.Dense(len(RELEASES[release]), name="habitat")(h)
    return keras.Model(bands, logits, name="reef")


def compile_for(model, rate=1e-2):
    model.compile(
        keras.optimizers.Adam(rate),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"])
    return model
