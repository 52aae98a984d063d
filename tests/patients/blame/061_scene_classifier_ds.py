import numpy as np
import tensorflow as tf
import keras
from keras import layers

keras.utils.set_random_seed(92)
CFG = {"size": 16, "batch": 8, "classes": 3, "lr": 2e-3}


def decode(path_id, label):
    seed = tf.stack([path_id, label])
    img = tf.random.stateless_uniform((20, 20, 3), seed=seed)
    img = tf.image.resize(img, (CFG["size"], CFG["size"]))
    return img, label


def load_split(first, last):
    ids = tf.range(first, last)
    ds = tf.data.Dataset.from_tensor_slices((ids, ids % CFG["classes"]))
    ds = ds.map(decode, num_parallel_calls=2)
    return ds.batch(CFG["batch"]).cache()


def make_model():
    image = keras.Input((CFG["size"], CFG["size"], 3))
    x = image
    for f in (8, 12):
        x = layers.Conv2D(f, 3, padding="same", activation="relu")(x)
        x = layers.MaxPooling2D()(x)
    x = layers.Flatten()(x)
    return keras.Model(image, layers.Dense(CFG["classes"])(x))


def train_model():
    train = load_split(0, 48).shuffle(48, seed=1)
    train = train.batch(CFG["batch"]).prefetch(2)
    model = make_model()
    model.compile(
        optimizer=keras.optimizers.Adam(CFG["lr"]),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )
    model.fit(train, epochs=1, verbose=0)
    return model


print(train_model().count_params())
