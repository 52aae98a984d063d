import keras
import tensorflow as tf


class PassConv(keras.layers.Layer):
    def __init__(self, units, **kw):
        super().__init__(**kw)
        self.mix = keras.layers.Dense(units, activation="relu")

    def call(self, nodes, adjacency):
        received = tf.matmul(adjacency, nodes)
        return self.mix(tf.concat([nodes, received], axis=-1))


class TeamValue(keras.Model):
    def __init__(self, units=16):
        super().__init__()
        self.first = PassConv(units, name="first")
        self.second = PassConv(units, name="second")
        self.value = keras.layers.Dense(1)

    def call(self, inputs):
        nodes, adjacency = inputs
        h = self.first(nodes, adjacency)
        h = self.second(h, adjacency)
        return self.value(tf.reduce_mean(h, axis=1))[:, 0]
