"""Power-curve classifier for wind turbine SCADA, kept in graph style because the
plant server still calls it through a session."""
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_eager_execution()

CHANNELS = ["wind", "rotor", "pitch", "yaw", "nacelle", "power"]
ANGULAR = ("yaw",)
STATES = 5


def scada(n, seed=21):
    rng = np.random.RandomState(seed)
    cols = {}
    cols["wind"] = rng.weibull(2.0, n) * 8
    cols["rotor"] = np.clip(cols["wind"] * 1.6, 0, 18) + rng.normal(0, 0.3, n)
    cols["pitch"] = np.clip(cols["wind"] - 11, 0, 20)
    cols["yaw"] = rng.uniform(0, 360, n)
    cols["nacelle"] = rng.normal(18, 6, n)
    cols["power"] = np.clip(cols["wind"] ** 3 * 1.1, 0, 2000) / 2000
    state = np.digitize(cols["wind"], [3, 6, 10, 14])
    return cols, state


def design(cols):
    out = []
    for name in CHANNELS:
        v = np.asarray(cols[name], np.float32)
        if name in ANGULAR:
            rad = np.deg2rad(v)
            out += [np.sin(rad), np.cos(rad)]
        else:
            out.append((v - v.mean()) / v.std())
    return np.stack(out, axis=1).astype(np.float32)


class Net:
    def __init__(self, n_in, n_out):
        self.x = tf1.placeholder(tf.float32, [None, None], name="x")
        self.y = tf1.placeholder(tf.int64, [None], name="y")
        with tf1.variable_scope("clf"):
            w = tf1.get_variable("w", [n_in, n_out], initializer=tf1.glorot_uniform_initializer(seed=1))
            b = tf1.get_variable("b", [n_out], initializer=tf1.zeros_initializer())
        logits = tf.matmul(self.x, w) + b
        self.loss = tf.reduce_mean(
            tf1.nn.sparse_softmax_cross_entropy_with_logits(labels=self.y, logits=logits))
        self.hits = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), self.y), tf.float32))
        self.train = tf1.train.GradientDescentOptimizer(0.5).minimize(self.loss)


def batches(x, y, size):
    for i in range(0, len(x), size):
        yield x[i:i + size], y[i:i + size]


def run():
    cols, state = scada(512)
    x = design(cols)
    net = Net(len(CHANNELS), STATES)
    cfg = tf1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    with tf1.Session(config=cfg) as sess:
        sess.run(tf1.global_variables_initializer())
        for epoch in range(5):
            for xb, yb in batches(x, state, 64):
                sess.run(net.train, {net.x: xb, net.y: yb})
            loss, hits = sess.run([net.loss, net.hits], {net.x: x, net.y: state})
            print("epoch %d loss %.3f accuracy %.3f" % (epoch, loss, hits))


if __name__ == "__main__":
    run()
