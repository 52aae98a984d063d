import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def attention_pool(scores, values):
    stable = scores - tf.reduce_max(scores, axis=1)
    e = tf.exp(stable)
    p = e / tf.reduce_sum(e, axis=1, keepdims=True)
    return tf.matmul(p, values), p


rng = np.random.default_rng(8)
scores = tf.placeholder(tf.float32, [9, 4])
values = tf.placeholder(tf.float32, [4, 3])
pooled, weights = attention_pool(scores, values)
entropy = -tf.reduce_mean(tf.reduce_sum(weights * tf.log(weights), axis=1))

with tf.Session() as sess:
    feed = {scores: rng.normal(size=(9, 4)) * 50, values: rng.normal(size=(4, 3))}
    out, h = sess.run([pooled, entropy], feed)
    print(out.shape, h)
