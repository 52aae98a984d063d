import numpy as np
import tensorflow as tf

tf.random.set_seed(114)


class Linear:
    def __init__(self, n_in, n_out):
        self.w = tf.Variable(tf.random.normal((n_in, n_out), stddev=0.1))
        self.b = tf.Variable(tf.zeros((n_out,)))

    def forward(self, x):
        self.x = x
        return x @ self.w + self.b

    def backward(self, grad):
        dw = tf.matmul(grad, self.x, transpose_a=True)
        db = tf.reduce_sum(grad, axis=0)
        dx = tf.matmul(grad, self.w, transpose_b=True)
        self.grads = [(self.w, dw), (self.b, db)]
        return dx


class Tanh:
    grads = []

    def forward(self, x):
        self.y = tf.tanh(x)
        return self.y

    def backward(self, grad):
        return grad * (1.0 - self.y ** 2)


def sgd(layers, lr):
    for layer in layers:
        for variable, g in layer.grads:
            variable.assign_sub(lr * g)


rng = np.random.default_rng(114)
x = tf.constant(rng.normal(size=(20, 5)), tf.float32)
y = tf.constant(rng.normal(size=(20, 3)), tf.float32)
layers = [Linear(5, 6), Tanh(), Linear(6, 3)]
for epoch in range(3):
    h = x
    for layer in layers:
        h = layer.forward(h)
    error = h - y
    grad = 2 * error / len(x)
    for layer in reversed(layers):
        grad = layer.backward(grad)
    sgd(layers, 0.1)
    print(epoch, float(tf.reduce_mean(error ** 2)))
