import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.set_random_seed(2)


def read_signals(n, classes):
    rng = np.random.default_rng(2)
    kind = rng.integers(0, classes, n)
    signal = rng.normal(size=(n, 24)) + kind[:, None]
    one_hot = np.zeros((n, classes), "int64")
    one_hot[np.arange(n), kind] = 1
    return signal, one_hot


class Graph:
    def __init__(self, features, classes, hidden=16):
        self.x = tf.placeholder(tf.float32, (None, features))
        self.y = tf.placeholder(tf.int64, (None,))
        with tf.variable_scope("mlp"):
            w1 = tf.get_variable("w1", (features, hidden))
            b1 = tf.get_variable("b1", (hidden,), initializer=tf.zeros_initializer())
            w2 = tf.get_variable("w2", (hidden, classes))
        h = tf.nn.relu(tf.matmul(self.x, w1) + b1)
        self.logits = tf.matmul(h, w2)
        xent = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.y, logits=self.logits)
        self.loss = tf.reduce_mean(xent)
        self.train_op = tf.train.AdamOptimizer(1e-3).minimize(self.loss)


graph = Graph(24, 4)
signal, kind = read_signals(100, 4)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(2):
        for i in range(0, 100, 25):
            feed = {graph.x: signal[i:i + 25], graph.y: kind[i:i + 25]}
            _, value = sess.run([graph.train_op, graph.loss], feed)
        print("epoch", epoch, value)
