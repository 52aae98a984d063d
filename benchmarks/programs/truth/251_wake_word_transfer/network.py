from tensorflow import keras

from audio import BANDS, FRAMES


class SharedEncoder:
    """Recurrent encoder that several word lists reuse."""

    def __init__(self, units, dropout):
        self.units, self.dropout = units, dropout

    def __call__(self, x):
        x = keras.layers.Conv1D(16, 3, padding="same", activation="relu", name="front")(x)
        x = keras.layers.GRU(self.units, name="memory")(x)
        return keras.layers.Dropout(self.dropout, name="drop")(x)


def classifier(words, units=16, dropout=0.1):
    x = inputs = keras.Input((FRAMES, BANDS), name="spectrogram")
    x = SharedEncoder(units, dropout)(x)
    outputs = keras.layers.Dense(len(words), activation="softmax", name="words")(x)
    model = keras.Model(inputs, outputs, name="wake")
    model.compile(keras.optimizers.Adam(5e-3), "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model
