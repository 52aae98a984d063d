import numpy as np
import tensorflow as tf

tf.random.set_seed(120)
ROWS, INPUTS, UNITS = 6, 4, 9


class Reservoir(tf.Module):
    def __init__(self, rows, inputs, units, leak=0.3):
        super().__init__()
        self.leak = leak
        self.w_in = tf.Variable(tf.random.normal((inputs, units), stddev=0.5), trainable=False)
        w = tf.random.normal((units, units))
        radius = tf.reduce_max(tf.abs(tf.linalg.eigvals(w)))
        self.w = tf.Variable(0.9 * w / tf.cast(radius, tf.float32), trainable=False)
        self.state = tf.Variable(tf.zeros((units,)), trainable=False)

    @tf.function(jit_compile=True)
    def step(self, x):
        pre = tf.matmul(x, self.w_in) + self.recurrent()
        new = (1 - self.leak) * self.state + self.leak * tf.tanh(pre)
        self.state.assign(new)
        return new

    def recurrent(self):
        s = tf.reshape(self.state, (-1, self.w.shape[0]))
        return tf.matmul(s, self.w)


def drive(reservoir, signal):
    return np.stack([reservoir.step(tf.constant(signal[:, t])).numpy()
                     for t in range(signal.shape[1])], axis=1)


signal = np.random.default_rng(120).normal(size=(ROWS, 15, INPUTS)).astype("float32")
states = drive(Reservoir(ROWS, INPUTS, UNITS), signal)
flat = states.reshape(-1, UNITS)
readout, *_ = np.linalg.lstsq(flat, signal[..., 0].ravel(), rcond=None)
print("readout norm", np.linalg.norm(readout))
