"""Pretrain on a big coarse task, freeze, train a new head, then thaw and fine-tune."""
import keras
import numpy as np
from keras import layers

keras.utils.set_random_seed(2)
rng = np.random.default_rng(2)
mixing = rng.normal(size=(12, 30)).astype("float32")


def task(n, classes, seed):
    r = np.random.default_rng(seed)
    z = r.normal(size=(n, 12)).astype("float32")
    return z @ mixing, (z[:, :classes]).argmax(1)


body = keras.Sequential([keras.Input((30,)), layers.Dense(40, "relu"), layers.BatchNormalization(), layers.Dense(20, "relu")], name="body")

coarse = keras.Sequential([body, layers.Dense(8, "softmax")])
coarse.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
x, y = task(900, 8, 1)
coarse.fit(x, y, batch_size=100, epochs=3, verbose=0)

body.trainable = False
inputs = keras.Input((30,))
outputs = layers.Dense(3, "softmax")(body(inputs, training=False))
fine = keras.Model(inputs, outputs)
fine.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
x2, y2 = task(130, 3, 2)
frozen = fine.fit(x2, y2, batch_size=32, epochs=4, verbose=0)

body.trainable = True
fine.compile(keras.optimizers.Adam(1e-4), "sparse_categorical_crossentropy", metrics=["accuracy"])
thawed = fine.fit(x2, y2, batch_size=13, epochs=2, verbose=0)
print("frozen ", frozen.history["accuracy"])
print("thawed ", thawed.history["accuracy"])
print("held out", fine.evaluate(*task(77, 3, 3), batch_size=50, verbose=0))
