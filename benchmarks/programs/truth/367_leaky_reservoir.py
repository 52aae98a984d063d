"""A reservoir of leaky units driven by a chaotic series, read out by ridge regression."""
import numpy as np
import tensorflow as tf


class Reservoir(tf.Module):
    def __init__(self, inputs, units=48, leak=0.3, lanes=1, seed=0):
        super().__init__()
        g = tf.random.Generator.from_seed(seed)
        self.units, self.leak, self.lanes = units, leak, lanes
        self.w_in = tf.Variable(g.uniform([inputs, units], -1.0, 1.0), trainable=False)
        self.decay = tf.Variable(g.uniform([units], 0.2, 0.95), trainable=False)
        self.bias = tf.Variable(0.1 * g.normal([units]), trainable=False)

    def rest(self, batch):
        return tf.zeros([batch, self.lanes])

    def advance(self, state, u):
        drive = tf.tanh(u @ self.w_in + self.decay * state + self.bias)
        return (1.0 - self.leak) * state + self.leak * drive

    @tf.function
    def run(self, series):
        steps = tf.shape(series)[1]
        state = self.rest(series.shape[0])
        total = tf.constant(0.0)
        seen = tf.TensorArray(tf.float32, size=steps)
        for t in tf.range(steps):
            state = self.advance(state, series[:, t])
            total += tf.reduce_mean(tf.square(state))
            seen = seen.write(t, state)
        return tf.transpose(seen.stack(), [1, 0, 2]), total / tf.cast(steps, tf.float32)


def logistic(batch, steps, seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(0.1, 0.9, batch)
    out = []
    for _ in range(steps + 1):
        x = 3.9 * x * (1 - x)
        out.append(x)
    return np.stack(out, 1)[..., None].astype("float32")


def ridge(h, y, lam=1e-3):
    gram = tf.matmul(h, h, transpose_a=True) + lam * tf.eye(h.shape[-1])
    return tf.linalg.solve(gram, tf.matmul(h, y, transpose_a=True))


def main():
    series = logistic(32, 80, seed=6)
    net = Reservoir(inputs=1)
    states, power = net.run(tf.constant(series[:, :-1]))
    h = tf.reshape(states[:, 20:], [-1, net.units])
    y = tf.reshape(series[:, 21:], [-1, 1])
    w = ridge(h, y)
    err = tf.sqrt(tf.reduce_mean(tf.square(h @ w - y)))
    print("power", round(float(power), 4), "rmse", round(float(err), 4))


if __name__ == "__main__":
    main()
