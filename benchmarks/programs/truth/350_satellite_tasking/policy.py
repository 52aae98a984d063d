"""Scores each pass of a day with a small set transformer written by hand."""
import tensorflow as tf

from contracts import check_observation


class TaskingPolicy(tf.Module):
    def __init__(self, features, width):
        super().__init__()
        g = tf.random.Generator.from_seed(4)
        self.embed = tf.Variable(g.normal([features, width], stddev=0.3))
        self.mix = tf.Variable(g.normal([width, width], stddev=0.1))
        self.out = tf.Variable(tf.zeros([width, 1]))

    def __call__(self, window):
        h = tf.nn.tanh(window @ self.embed)
        scores = tf.nn.softmax(tf.matmul(h @ self.mix, h, transpose_b=True))
        return tf.squeeze((h + scores @ h) @ self.out, -1)

    @tf.function
    def loss(self, window, clear):
        window, clear = check_observation(window, clear, "policy.loss")
        logits = self(window)
        return tf.reduce_mean(
            tf.nn.sigmoid_cross_entropy_with_logits(labels=clear, logits=logits))
