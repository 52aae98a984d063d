import numpy as np
import tensorflow as tf
import keras

keras.utils.set_random_seed(104)
BATCH, STEPS, units = 16, 8, 12


class TinyRNN(tf.Module):
    def __init__(self, n_in, n_hidden, n_out):
        init = keras.initializers.GlorotNormal(seed=4)
        self.wx = tf.Variable(init((n_in, n_hidden)))
        self.wh = tf.Variable(init((n_hidden, n_hidden)))
        self.wo = tf.Variable(init((n_hidden, n_out)))

    def step(self, x, h):
        return tf.tanh(x @ self.wx + h @ self.wh)

    def readout(self, h):
        return h @ self.wo


def trajectories(n):
    rng = np.random.default_rng(104)
    v = rng.normal(size=(n, 1, 2))
    pos = np.cumsum(np.repeat(v, STEPS, axis=1), axis=1)
    return pos.astype("float32"), (pos[:, -1] + v[:, 0]).astype("float32")


ds = tf.data.Dataset.from_tensor_slices(trajectories(60))
ds = ds.shuffle(60, seed=5)
ds = ds.batch(BATCH)

rnn = TinyRNN(2, units, 2)
opt = keras.optimizers.SGD(0.01)
for seq, nxt in ds:
    h = tf.zeros((BATCH, units))
    with tf.GradientTape() as tape:
        for t in range(STEPS):
            h = rnn.step(seq[:, t], h)
        loss = tf.reduce_mean((rnn.readout(h) - nxt) ** 2)
    variables = [rnn.wx, rnn.wh, rnn.wo]
    opt.apply_gradients(zip(tape.gradient(loss, variables), variables))
    print("loss", float(loss))
