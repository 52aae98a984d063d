import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


class DataSet:
    def __init__(self, n, seed):
        rng = np.random.RandomState(seed)
        raw = rng.randint(0, 255, size=(n, 28, 28))
        self.images = raw.reshape(n, 28, 28).astype(np.float32) / 255.0
        self.labels = np.eye(10, dtype=np.float32)[rng.randint(0, 10, size=n)]
        self._pos = 0

    def next_batch(self, k):
        if self._pos + k > len(self.images):
            self._pos = 0
        s = slice(self._pos, self._pos + k)
        self._pos += k
        return self.images[s], self.labels[s]


train = DataSet(200, 0)
test = DataSet(50, 1)

x = tf.placeholder(tf.float32, [None, 784])
y_ = tf.placeholder(tf.float32, [None, 10])
W = tf.Variable(tf.zeros([784, 10]))
b = tf.Variable(tf.zeros([10]))
y = tf.matmul(x, W) + b

cross_entropy = tf.reduce_mean(
    tf.nn.softmax_cross_entropy_with_logits_v2(labels=y_, logits=y))
train_step = tf.train.GradientDescentOptimizer(0.5).minimize(cross_entropy)
correct = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(8):
        xs, ys = train.next_batch(25)
        sess.run(train_step, feed_dict={x: xs, y_: ys})
    print(sess.run(accuracy, feed_dict={x: test.images, y_: test.labels}))
