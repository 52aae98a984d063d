import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

tf.random.set_seed(10)


class Inception(layers.Layer):
    """Four parallel branches whose maps are stacked along the channels."""

    def __init__(self, f, **kwargs):
        super().__init__(**kwargs)
        self.b1 = layers.Conv2D(f, 1, activation="relu")
        self.b3 = layers.Conv2D(f, 3, padding="same", activation="relu")
        self.reduce5 = layers.Conv2D(f // 2, 1, activation="relu")
        self.b5 = layers.Conv2D(f, 5, activation="relu")
        self.pool = layers.MaxPooling2D(3, strides=1, padding="same")
        self.pool_proj = layers.Conv2D(f, 1, activation="relu")

    def call(self, x):
        branches = [
            self.b1(x),
            self.b3(x),
            self.b5(self.reduce5(x)),
            self.pool_proj(self.pool(x)),
        ]
        return tf.concat(branches, axis=-1)


class LeafNet(keras.Model):
    def __init__(self, species):
        super().__init__()
        self.inception = Inception(8)
        self.head = keras.Sequential([layers.GlobalAveragePooling2D(), layers.Dense(species)])

    def call(self, x):
        return self.head(self.inception(x))


leaves = np.random.default_rng(10).random((20, 12, 12, 3)).astype("float32")
species = np.arange(20) % 5
net = LeafNet(5)
net.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
net.fit(leaves, species, epochs=1, verbose=0)
print(net.predict(leaves[:2], verbose=0))
