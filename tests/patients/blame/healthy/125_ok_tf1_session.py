import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(1)

images = tf.placeholder(tf.float32, [None, 12, 12], name="images")
labels = tf.placeholder(tf.int64, [None], name="labels")
flat = tf.reshape(images, [-1, 144])
w = tf.get_variable("w", [144, 3])
b = tf.get_variable("b", [3], initializer=tf.zeros_initializer())
logits = tf.nn.bias_add(tf.matmul(flat, w), b)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
train = tf.train.AdamOptimizer(1e-2).minimize(loss)

rng = np.random.default_rng(1)
digits = rng.integers(0, 3, 50)
pictures = rng.random((50, 12, 12)) + digits[:, None, None]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for start in range(0, 50, 16):
        part = slice(start, start + 16)
        _, value = sess.run([train, loss], {images: pictures[part], labels: digits[part]})
    print("loss", value)
