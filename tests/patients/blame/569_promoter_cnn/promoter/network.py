import keras
from keras import layers

CHANNELS = 4          # A C G T, an unknown base is all zero


def build(length, filters=24, kernel=9):
    inp = keras.Input((length, CHANNELS), name="dna")
    h = layers.Conv1D(filters, kernel, activation="relu", padding="same")(inp)
    h = layers.MaxPooling1D(3)(h)
    h = layers.Conv1D(filters, 5, activation="relu", padding="same")(h)
    h = layers.GlobalMaxPooling1D()(h)
    h = layers.Dropout(0.2)(h)
    return keras.Model(inp, layers.Dense(1, activation="sigmoid")(h))


def motif_logo(model):
    """Strongest filter of the first layer as a consensus string."""
    conv = next(l for l in model.layers if isinstance(l, layers.Conv1D))
    w = conv.get_weights()[0]
    best = (w.max(axis=1) - w.mean(axis=1)).sum(axis=0).argmax()
    return "".join("ACGT"[i] for i in w[:, :, best].argmax(axis=1))
