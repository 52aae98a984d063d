import keras
from keras import layers

import config


def build():
    past = keras.Input((config.STEPS_IN, config.SENSORS))
    x = layers.LSTM(config.UNITS, return_sequences=True)(past)
    x = layers.Flatten()(x)
    x = layers.Dense(config.UNITS, activation="relu")(x)
    return keras.Model(past, layers.Dense(config.SENSORS)(x), name="traffic")
