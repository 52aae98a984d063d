import numpy as np
import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(94)
TEXTS = [
    ("great acting and a clever plot", 1), ("boring", 0), ("i fell asleep twice", 0),
    ("what a lovely little film", 1), ("never again", 0), ("superb", 1),
    ("the music alone is worth the ticket price and more", 1), ("too long and too loud", 0),
] * 4

vocab = {w: i for i, w in enumerate(sorted({w for t, _ in TEXTS for w in t.split()}), start=1)}


def examples():
    for text, label in TEXTS:
        yield [vocab[w] for w in text.split()], label


def dataset(batch_size):
    ds = tf.data.Dataset.from_generator(
        examples,
        output_signature=(tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.int32)),
    )
    ds = ds.shuffle(64, seed=2)
    ds = ds.batch(batch_size)
    return ds


def sentiment():
    ids = keras.Input((None,), dtype="int32")
    x = keras.layers.Embedding(len(vocab) + 1, 12, mask_zero=True)(ids)
    x = keras.layers.LSTM(10)(x)
    return keras.Model(ids, keras.layers.Dense(1, activation="sigmoid")(x))


model = sentiment()
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
for epoch in range(2):
    result = model.fit(dataset(6), epochs=1, verbose=0)
    print("epoch", epoch, result.history["loss"])
