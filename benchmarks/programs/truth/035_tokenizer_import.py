"""Bag-of-words sentiment with the classic tokenizer."""
import numpy as np
import tensorflow as tf
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import Dense
from tensorflow.keras.preprocessing.sequence import pad_sequences
from keras.preprocessing.text import Tokenizer

TEXTS = [
    "a fine and funny film",
    "dull plot and wooden acting",
    "funny and warm",
    "dull dull dull",
]
LABELS = np.array([1, 0, 1, 0], "float32")


def encode(texts, size=50):
    tokenizer = Tokenizer(num_words=size)
    tokenizer.fit_on_texts(texts)
    return tokenizer.texts_to_matrix(texts, mode="binary")


def main():
    x = encode(TEXTS)
    model = Sequential([tf.keras.Input((x.shape[1],)), Dense(1, activation="sigmoid")])
    model.compile("adam", "binary_crossentropy")
    model.fit(x, LABELS, epochs=3, verbose=0)
    print(model.predict(x, verbose=0).round(2).ravel())


main()
