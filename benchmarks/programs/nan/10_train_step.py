"""A model with a train_step of its own; a penalty takes the logarithm of a difference."""

import keras
import numpy as np
import tensorflow as tf


class Penalised(keras.Model):
    def __init__(self):
        super().__init__()
        self.body = keras.layers.Dense(8, activation="relu", name="body")
        self.head = keras.layers.Dense(1, name="head")
        self.objective = keras.metrics.Mean(name="objective")

    def call(self, x):
        return self.head(self.body(x))

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            prediction = self(x, training=True)
            barrier = tf.reduce_mean(tf.math.log(4.0 - tf.abs(prediction)))
            loss = tf.reduce_mean(tf.square(prediction - y)) - 0.01 * barrier
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
        self.objective.update_state(loss)
        return {"objective": self.objective.result()}


keras.utils.set_random_seed(31)
rng = np.random.default_rng(31)
x = rng.normal(size=(320, 4)).astype("float32")
y = 9.0 * x[:, :1]
model = Penalised()
model.compile(optimizer=keras.optimizers.Adam(0.02))
model.fit(x, y, epochs=12, batch_size=32, verbose=0)
