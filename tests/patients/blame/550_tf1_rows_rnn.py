""" Row-by-row RNN written by hand with the old graph API. """
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_eager_execution()

num_input = 28
timesteps = 14
num_hidden = 12
num_classes = 10
batch_size = 16

X = tf1.placeholder(tf.float32, [None, timesteps, num_input])
Y = tf1.placeholder(tf.int64, [None])


def dense_vars(name, n_in, n_out):
    with tf1.variable_scope(name):
        w = tf1.get_variable("w", [n_in, n_out])
        b = tf1.get_variable("b", [n_out], initializer=tf1.zeros_initializer())
    return w, b


def rnn(x):
    wx, bx = dense_vars("input", num_input, num_hidden)
    wh, _ = dense_vars("hidden", num_hidden, num_hidden)
    steps = tf.unstack(x, axis=2)
    h = tf.zeros([tf.shape(x)[0], num_hidden])
    for s in steps:
        h = tf.tanh(tf.matmul(s, wx) + tf.matmul(h, wh) + bx)
    wo, bo = dense_vars("out", num_hidden, num_classes)
    return tf.matmul(h, wo) + bo


logits = rnn(X)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=Y, logits=logits))
train_op = tf1.train.GradientDescentOptimizer(0.05).minimize(loss)

rng = np.random.RandomState(0)
half_digits = rng.rand(64, timesteps, num_input)
digit_ids = rng.randint(0, num_classes, 64)

with tf1.Session() as sess:
    sess.run(tf1.global_variables_initializer())
    for i in range(0, 64, batch_size):
        _, l = sess.run([train_op, loss], {X: half_digits[i:i + batch_size], Y: digit_ids[i:i + batch_size]})
        print(i, l)
