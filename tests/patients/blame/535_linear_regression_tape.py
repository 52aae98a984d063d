# Exercise: linear regression by hand with GradientTape
import numpy as np
import tensorflow as tf


def synthetic_data(w, b, num_examples):
    """y = Xw + b + noise"""
    gen = np.random.default_rng(0)
    X = gen.normal(size=(num_examples, len(w)))
    y = X @ np.array(w).reshape(-1, 1) + b
    y += gen.normal(scale=0.01, size=y.shape)
    return X, y.astype("float32")


def data_iter(batch_size, features, labels):
    indices = np.random.permutation(len(features))
    for i in range(0, len(features), batch_size):
        j = indices[i:i + batch_size]
        yield features[j], labels[j]


def linreg(X, w, b):
    return tf.matmul(X, w) + b


def squared_loss(y_hat, y):
    return (y_hat - y) ** 2 / 2


def sgd(params, grads, lr):
    for p, g in zip(params, grads):
        p.assign_sub(lr * g)


true_w, true_b = [2.0, -3.4, 0.7], 4.2
features, labels = synthetic_data(true_w, true_b, 256)
w = tf.Variable(tf.random.normal((3, 1), stddev=0.01))
b = tf.Variable(tf.zeros(1))

for epoch in range(2):
    for X, y in data_iter(64, features, labels):
        with tf.GradientTape() as g:
            l = tf.reduce_mean(squared_loss(linreg(X, w, b), y))
        sgd([w, b], g.gradient(l, [w, b]), lr=0.1)
    train_l = squared_loss(linreg(features, w, b), labels)
    print("epoch %d, loss %f" % (epoch + 1, float(tf.reduce_mean(train_l))))
