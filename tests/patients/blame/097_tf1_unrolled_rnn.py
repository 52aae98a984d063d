import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(5)
STEPS, INPUTS, UNITS = 6, 3, 10

kernel_shape = [INPUTS, UNITS]


def parameters():
    with tf.variable_scope("cell"):
        kernel = tf.get_variable("kernel", kernel_shape)
        bias = tf.get_variable("bias", [UNITS], initializer=tf.zeros_initializer())
    return kernel, bias


def unroll(x, kernel, bias):
    state = tf.zeros([tf.shape(x)[0], UNITS])
    for frame in tf.unstack(x, num=STEPS, axis=1):
        joined = tf.concat([frame, state], axis=1)
        state = tf.tanh(tf.nn.bias_add(tf.matmul(joined, kernel), bias))
    return state


x = tf.placeholder(tf.float32, [None, STEPS, INPUTS])
y = tf.placeholder(tf.float32, [None, 1])
last = unroll(x, *parameters())
out = tf.matmul(last, tf.get_variable("out", [UNITS, 1]))
loss = tf.losses.mean_squared_error(y, out)
train = tf.train.RMSPropOptimizer(1e-2).minimize(loss)

rng = np.random.default_rng(5)
xs = rng.normal(size=(40, STEPS, INPUTS))
ys = xs[:, -2:, :1].sum(axis=1)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(3):
        _, value = sess.run([train, loss], {x: xs, y: ys})
    print(value)
