"""Graph-mode training with shadow weights, ported from an old code base."""
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_eager_execution()


class Averager:
    def __init__(self, decay):
        self.decay = decay
        self.pairs = []

    def track(self, variable):
        shadow = tf1.get_variable(variable.op.name + "_avg", initializer=tf.zeros_like(variable), trainable=False)
        self.pairs.append((variable, shadow))

    def update(self):
        return tf.group(*[tf1.assign(s, self.decay * s + (1 - self.decay) * v) for v, s in self.pairs])


def build():
    x = tf1.placeholder(tf.float32, [None, 3])
    y = tf1.placeholder(tf.float32, [None])
    w = tf1.get_variable("w", [3, 1], initializer=tf1.zeros_initializer())
    loss = tf.reduce_mean((tf.squeeze(tf.matmul(x, w), 1) - y) ** 2)
    step = tf1.train.GradientDescentOptimizer(0.1).minimize(loss)
    init = tf1.global_variables_initializer()
    averager = Averager(0.9)
    averager.track(w)
    return x, y, loss, step, averager.update(), init


x, y, loss, step, average, init = build()
rng = np.random.default_rng(3)
data = rng.normal(size=(50, 3))
with tf1.Session() as sess:
    sess.run(init)
    for _ in range(10):
        value, _ = sess.run([loss, step], {x: data, y: data.sum(1)})
        sess.run(average)
    print("loss", value)
