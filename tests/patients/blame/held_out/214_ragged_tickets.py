import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf
from tensorflow import keras

TEMPLATES = [
    ("the router is down again", 0),
    ("please reset my password today", 1),
    ("invoice number missing from the last order we placed", 2),
    ("no signal", 0),
    ("cannot log in after the update of the office laptop", 1),
    ("we were charged twice", 2),
]
MAX_WORDS = 12

texts, queues = map(list, zip(*(TEMPLATES * 8)))

vectorize = keras.layers.TextVectorization(max_tokens=60, ragged=True)
vectorize.adapt(texts)
VOCAB = len(vectorize.get_vocabulary())


def encode(batch, label):
    ids = vectorize(batch)
    return ids.to_tensor(), label


def pipeline(shuffle):
    ds = tf.data.Dataset.from_tensor_slices((texts, queues))
    if shuffle:
        ds = ds.shuffle(len(texts), seed=0)
    return ds.batch(8).map(encode, num_parallel_calls=2).prefetch(2)


def build_model(embedding=10):
    inputs = keras.Input((MAX_WORDS,), dtype="int64")
    x = keras.layers.Embedding(VOCAB, embedding)(inputs)
    x = keras.layers.Flatten()(x)
    x = keras.layers.Dense(16, activation="relu")(x)
    outputs = keras.layers.Dense(3, activation="softmax")(x)
    model = keras.Model(inputs, outputs)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


if __name__ == "__main__":
    model = build_model()
    model.fit(pipeline(True), epochs=2, verbose=2)
    print(model.evaluate(pipeline(False), verbose=0))
