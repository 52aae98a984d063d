"""Old graph-mode code that still runs through tf.compat.v1."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(1)


def logistic_data(n=120):
    rng = np.random.RandomState(1)
    x = rng.randn(n, 2).astype("float32")
    return x, (x[:, :1] - x[:, 1:] > 0).astype("float32")


features = tf.placeholder(tf.float32, [None, 2], name="features")
labels = tf.placeholder(tf.float32, [None, 1], name="labels")
with tf.variable_scope("logit", reuse=tf.AUTO_REUSE):
    w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
logits = tf.matmul(features, w) + b
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)

x, y = logistic_data()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for start in list(range(0, 120, 50)) * 6:
        value, _ = session.run([loss, train], {features: x[start:start + 50], labels: y[start:start + 50]})
    print("loss", round(float(value), 3), "weights", session.run(w).ravel().round(2))
