import numpy as np
import tensorflow as tf

tf.random.set_seed(122)
TRANSITION = tf.constant([[0.8, 0.15, 0.05], [0.2, 0.7, 0.1], [0.1, 0.3, 0.6]])
EMISSION = tf.constant([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.05, 0.25, 0.7]])

prior = tf.constant([[0.6, 0.3, 0.1]])


def normalise(v):
    return v / tf.reduce_sum(v)


def update(belief, symbol):
    predicted = tf.linalg.matvec(TRANSITION, belief, transpose_a=True)
    return normalise(predicted * EMISSION[:, symbol])


@tf.function
def forward(symbols, start):
    n = tf.shape(symbols)[0]
    beliefs = tf.TensorArray(tf.float32, size=n + 1, infer_shape=False)
    beliefs = beliefs.write(0, start)
    belief = tf.reshape(start, [3])
    for i in tf.range(n):
        belief = update(belief, symbols[i])
        beliefs = beliefs.write(i + 1, belief)
    return beliefs.stack()


symbols = np.random.default_rng(122).integers(0, 3, 12)
table = forward(tf.constant(symbols), prior)
print("most likely weather:", table.numpy().argmax(axis=-1))
