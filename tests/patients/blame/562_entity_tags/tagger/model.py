import keras
from keras import layers


def build(n_words, n_tags, emb=24, units=24, dropout=0.2):
    """Embedding, BiGRU, and a softmax over the tags at every position."""
    tok = keras.Input((None,), dtype="int32")
    h = layers.Embedding(n_words, emb)(tok)
    h = layers.Dropout(dropout)(h)
    h = layers.Bidirectional(layers.GRU(units, return_sequences=True))(h)
    h = layers.Dense(units, activation="tanh")(h)
    out = layers.Dense(n_tags, activation="softmax")(h)
    return keras.Model(tok, out)
