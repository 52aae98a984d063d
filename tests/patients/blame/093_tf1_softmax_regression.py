import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(1)
SIDE = 12


def draw(rng, digit):
    image = rng.random((SIDE, SIDE)) * 0.3
    image[digit % 3 * 4:digit % 3 * 4 + 3, :] += 0.7
    return image


def load(n):
    rng = np.random.default_rng(1)
    digits = rng.integers(0, 3, n)
    images = np.array([draw(rng, d) for d in digits], "float32")
    return images, np.eye(3, dtype="float32")[digits]


x = tf.placeholder(tf.float32, [None, SIDE * SIDE], name="x")
y_ = tf.placeholder(tf.float32, [None, 3], name="labels")
W = tf.Variable(tf.zeros([SIDE * SIDE, 3]))
b = tf.Variable(tf.zeros([3]))
logits = tf.matmul(x, W) + b
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y_, logits=logits))
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
correct = tf.equal(tf.argmax(logits, 1), tf.argmax(y_, 1))
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))

images, labels = load(80)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(6):
        rows = slice(step % 4 * 20, step % 4 * 20 + 20)
        sess.run(train, feed_dict={x: images[rows], y_: labels[rows]})
    print(sess.run(accuracy, feed_dict={x: images, y_: labels}))
