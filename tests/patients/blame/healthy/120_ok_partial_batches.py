import numpy as np
import tensorflow as tf
import keras
from keras import layers

keras.utils.set_random_seed(104)
BATCH, STEPS, UNITS = 16, 8, 12


class Cell(layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.units = units
        self.wx = layers.Dense(units)
        self.wh = layers.Dense(units, use_bias=False)

    def call(self, x, h):
        return tf.tanh(self.wx(x) + self.wh(h))


rng = np.random.default_rng(104)
x = rng.normal(size=(60, STEPS, 2)).astype("float32")
y = x.sum(axis=1)
ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(60, seed=1).batch(BATCH)

cell, out = Cell(UNITS), layers.Dense(2)
opt = keras.optimizers.Adam()
for seq, target in ds:
    with tf.GradientTape() as tape:
        h = tf.zeros((tf.shape(seq)[0], UNITS))
        for t in range(STEPS):
            h = cell(seq[:, t], h)
        loss = tf.reduce_mean((out(h) - target) ** 2)
    variables = cell.trainable_variables + out.trainable_variables
    opt.apply_gradients(zip(tape.gradient(loss, variables), variables))
    print(len(seq), float(loss))
