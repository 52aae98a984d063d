import os
import numpy as np
import tensorflow as tf
import keras
from keras import layers

# Splits each batch to save memory. Results do not depend on it.
MICRO_BATCHES = int(os.environ.get("MICRO_BATCHES", "4"))


class Accumulating(keras.Model):
    def __init__(self):
        super().__init__()
        self.h = layers.Dense(12, activation="tanh")
        self.out = layers.Dense(1)

    def call(self, x):
        return self.out(self.h(x))

    def part_gradient(self, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self(x, training=True) - y))
        return loss, tape.gradient(loss, self.trainable_variables)

    def train_step(self, data):
        x, y = data
        total, grads = 0.0, [tf.zeros_like(v) for v in self.trainable_variables]
        parts = zip(tf.split(x, MICRO_BATCHES), tf.split(y, MICRO_BATCHES))
        for xp, yp in parts:
            loss, g = self.part_gradient(xp, yp)
            total += loss / MICRO_BATCHES
            grads = [a + b / MICRO_BATCHES for a, b in zip(grads, g)]
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        return {"batch_loss": total}


keras.utils.set_random_seed(54)
rng = np.random.default_rng(54)
x = rng.uniform(-2, 2, (128, 2)).astype("float32")
y = (np.sin(2 * x[:, :1]) * x[:, 1:]).astype("float32")
model = Accumulating()
model(x[:1])
model.compile(optimizer=keras.optimizers.SGD(0.05))
hist = model.fit(x, y, batch_size=32, epochs=10, shuffle=False, verbose=0)
print("loss after ten epochs %.5f" % hist.history["batch_loss"][-1])
