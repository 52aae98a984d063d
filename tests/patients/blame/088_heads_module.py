import numpy as np
import tensorflow as tf
import keras

keras.utils.set_random_seed(119)
BATCH, TIME, HEADS, DEPTH = 8, 5, 3, 4


class Heads(tf.Module):
    def __init__(self):
        self.rows = BATCH
        self.proj = keras.layers.Dense(HEADS * DEPTH)
        self.out = keras.layers.Dense(1)

    def split(self, x):
        x = tf.reshape(x, (self.rows, TIME, HEADS, DEPTH))
        return tf.transpose(x, (0, 2, 1, 3))

    @tf.function(reduce_retracing=True)
    def forward(self, x):
        q = self.split(self.proj(x))
        a = tf.nn.softmax(tf.matmul(q, q, transpose_b=True) / 2.0)
        return self.out(tf.reduce_mean(tf.matmul(a, q), axis=(1, 2)))


def batches(x, y):
    ds = tf.data.Dataset.from_tensor_slices((x, y))
    return ds.batch(BATCH).prefetch(1)


rng = np.random.default_rng(119)
x = rng.normal(size=(30, TIME, 7)).astype("float32")
y = x.mean(axis=(1, 2), keepdims=False)[:, None]

net = Heads()
opt = keras.optimizers.Adam()
for xb, yb in batches(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net.forward(xb) - yb) ** 2)
    weights = net.proj.trainable_variables + net.out.trainable_variables
    opt.apply_gradients(zip(tape.gradient(loss, weights), weights))
    print("rows", len(xb), "loss", float(loss))
