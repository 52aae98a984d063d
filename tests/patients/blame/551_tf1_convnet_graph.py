import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

SIDE = 16
CLASSES = 4
BATCH = 10


def weight(shape):
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1))


def conv2d(x, W):
    return tf.nn.conv2d(x, W, strides=[1, 1, 1, 1], padding='SAME')


def maxpool(x, k=2):
    return tf.nn.max_pool(x, ksize=[1, k, k, 1], strides=[1, k, k, 1], padding='SAME')


images = tf.placeholder(tf.float32, [None, SIDE, SIDE, 1], name='images')
labels = tf.placeholder(tf.float32, [None, CLASSES], name='labels')
keep = tf.placeholder_with_default(1.0, [], name='keep')

h1 = maxpool(tf.nn.relu(conv2d(images, weight([3, 3, 1, 8]))))
h2 = tf.nn.relu(conv2d(h1, weight([3, 3, 8, 8])))
h2 = maxpool(h2, k=1)
flat = tf.reshape(h2, [-1, 4 * 4 * 8])
fc = tf.nn.relu(tf.matmul(flat, weight([4 * 4 * 8, 20])) + tf.Variable(tf.zeros([20])))
fc = tf.nn.dropout(fc, rate=1 - keep)
logits = tf.matmul(fc, weight([20, CLASSES]))

loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))
train = tf.train.AdamOptimizer(1e-3).minimize(loss)

rng = np.random.RandomState(1)
data = rng.rand(40, SIDE, SIDE, 1)
target = np.eye(CLASSES)[rng.randint(0, CLASSES, 40)]

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(4):
        lo, hi = step * BATCH, (step + 1) * BATCH
        _, val = sess.run([train, loss], {images: data[lo:hi], labels: target[lo:hi], keep: 0.8})
        print(step, val)
