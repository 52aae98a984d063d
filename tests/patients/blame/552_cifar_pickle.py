# CIFAR-10 read from the python pickle batches
import io
import pickle

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers


def fake_batch_file(n, seed):
    r = np.random.RandomState(seed)
    f = io.BytesIO()
    pickle.dump({b"data": r.randint(0, 256, (n, 3072)).astype(np.uint8),
                 b"labels": r.randint(0, 10, n).tolist()}, f)
    f.seek(0)
    return f


def load_batch(f):
    d = pickle.load(f)
    data = d[b"data"].reshape(len(d[b"labels"]), 3, 32, 32)
    data = data.transpose(0, 2, 1, 3)
    return data, np.array(d[b"labels"])


def load_data(batches=2):
    parts = [load_batch(fake_batch_file(20, i)) for i in range(batches)]
    x = np.concatenate([p[0] for p in parts])
    y = np.concatenate([p[1] for p in parts])
    xt, yt = load_batch(fake_batch_file(10, 99))
    return (x, y), (xt, yt)


(x_train, y_train), (x_test, y_test) = load_data()
x_train = x_train.astype("float32") / 255
x_test = x_test.astype("float32") / 255

inputs = keras.Input(shape=(32, 32, 3))
x = inputs
for filters in (8, 16):
    x = layers.Conv2D(filters, 3, strides=2, activation="relu")(x)
x = layers.Flatten()(x)
outputs = layers.Dense(10, activation="softmax")(x)
model = keras.Model(inputs, outputs)

model.compile(loss="sparse_categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
model.fit(x_train, y_train, batch_size=20, epochs=1, verbose=0)
print(model.evaluate(x_test, y_test, verbose=0))
