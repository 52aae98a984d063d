import keras
from keras import layers


def tempcnn(dates, channels, classes, filters, dropout):
    inp = keras.Input((dates, channels), name="reflectance")
    h = layers.Normalization(name="scale")(inp)
    for k in range(2):
        h = layers.Conv1D(filters, 3, padding="same", use_bias=False)(h)
        h = layers.BatchNormalization()(h)
        h = layers.ReLU()(h)
        h = layers.Dropout(dropout)(h)
    h = layers.Flatten()(h)
    h = layers.Dense(2 * filters, activation="relu")(h)
    out = layers.Dense(classes, activation="softmax", name="cover")(h)
    return keras.Model(inp, out)
