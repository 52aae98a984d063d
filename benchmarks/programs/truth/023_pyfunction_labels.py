"""Bird calls: labels looked up on the host inside the input pipeline."""
import numpy as np
import tensorflow as tf

CODES = {"wren": 0, "robin": 1, "tit": 2}
CALLS = ["wren", "tit", "robin", "wren", "Robin", "tit", "wren", "robin"]


def encode(name):
    return np.int64(CODES[name.numpy().decode()])


def waveform(index):
    phase = tf.cast(tf.range(64), tf.float32) * (0.05 + 0.01 * tf.cast(index, tf.float32))
    return tf.sin(phase)


def load(index, name):
    label = tf.py_function(encode, [name], tf.int64)
    label.set_shape([])
    return waveform(index), label


def make_dataset(batch):
    ds = tf.data.Dataset.from_tensor_slices((tf.range(len(CALLS)), CALLS))
    return ds.map(load).batch(batch)


model = tf.keras.Sequential([tf.keras.Input((64,)), tf.keras.layers.Dense(len(CODES))])
model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
for epoch in range(2):
    losses = [model.train_on_batch(x, y) for x, y in make_dataset(4)]
    print("epoch", epoch, "loss", float(losses[-1]))
