import keras
from keras import layers


def build(settings):
    signal = keras.Input((settings.window, settings.width), name="signal")
    h = layers.Conv1D(settings.units, 5, strides=2, padding="same", activation="relu")(signal)
    h = layers.GRU(settings.units)(h)
    out = layers.Dense(settings.phases)(h)
    return keras.Model(signal, out, name="gait")
