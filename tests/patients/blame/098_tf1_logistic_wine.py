import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(6)


class Batches:
    def __init__(self, features, labels, size):
        self.features, self.labels, self.size = features, labels, size
        self.cursor = 0

    def next_batch(self):
        rows = np.arange(self.cursor, self.cursor + self.size) % len(self.labels)
        self.cursor += self.size
        return self.labels[rows], self.features[rows]


def wine(n=60):
    rng = np.random.default_rng(6)
    acid = rng.normal(size=(n, 7))
    good = (acid[:, :2].sum(axis=1) > 0).astype("float32")[:, None]
    return acid.astype("float32"), good


def logistic(n_features):
    x = tf.placeholder(tf.float32, [None, n_features], "x")
    y = tf.placeholder(tf.float32, [None, 1], "y")
    w = tf.get_variable("w", [n_features, 1])
    b = tf.get_variable("b", [1])
    z = tf.matmul(x, w) + b
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=z))
    return x, y, loss, tf.train.AdagradOptimizer(0.1).minimize(loss)


x, y, loss, op = logistic(7)
data = Batches(*wine(), size=10)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(8):
        features, labels = data.next_batch()
        _, value = sess.run([op, loss], feed_dict={x: features, y: labels})
    print("loss", value)
