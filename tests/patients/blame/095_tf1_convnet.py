import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(3)
MAP = 3
CHANNELS = 8


def weight(shape):
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1, seed=3))


def conv_pool(x, n_in, n_out):
    c = tf.nn.conv2d(x, weight([3, 3, n_in, n_out]), strides=[1, 1, 1, 1], padding="SAME")
    return tf.nn.max_pool2d(tf.nn.relu(c), 2, 2, "SAME")


def network(image):
    h = conv_pool(image, 1, 4)
    h = conv_pool(h, 4, CHANNELS)
    flat = tf.reshape(h, [-1, MAP * MAP * CHANNELS])
    fc = tf.nn.relu(tf.matmul(flat, weight([MAP * MAP * CHANNELS, 20])))
    return tf.matmul(fc, weight([20, 2]))


image = tf.placeholder(tf.float32, [None, 24, 24, 1])
target = tf.placeholder(tf.float32, [None, 2])
logits = network(image)
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=target, logits=logits))
step = tf.train.AdamOptimizer(1e-3).minimize(loss)

rng = np.random.default_rng(3)
pictures = rng.random((32, 24, 24, 1))
labels = np.eye(2)[(pictures.mean(axis=(1, 2, 3)) > 0.5).astype(int)]

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(2):
        part = slice(16 * i, 16 * (i + 1))
        value, _ = session.run([loss, step], {image: pictures[part], target: labels[part]})
        print(i, value)
