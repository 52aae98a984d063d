"""Graph convolution written as a tf.Module."""
import numpy as np
import tensorflow as tf

tf.random.set_seed(1)


def ring_adjacency(n):
    a = np.eye(n) + np.roll(np.eye(n), 1, 0) + np.roll(np.eye(n), -1, 0)
    return (a / a.sum(1, keepdims=True)).astype("float32")


class GraphConv(tf.Module):
    def __init__(self, units):
        super().__init__()
        self.units = units

    def __call__(self, adjacency, h):
        w = tf.Variable(tf.random.normal([h.shape[-1], self.units], stddev=0.3))
        b = tf.Variable(tf.zeros([self.units]))
        return tf.nn.relu(adjacency @ h @ w + b)


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.layers = [GraphConv(8), GraphConv(3)]

    @tf.function
    def __call__(self, adjacency, h):
        for layer in self.layers:
            h = layer(adjacency, h)
        return h


nodes = 10
features = np.random.default_rng(0).normal(size=(nodes, 4)).astype("float32")
net = Net()
out = net(tf.constant(ring_adjacency(nodes)), tf.constant(features))
print(out.shape, float(tf.reduce_sum(out)))
