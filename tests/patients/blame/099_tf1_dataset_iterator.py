import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(7)
LAGS = 5


def lines(n=40):
    rng = np.random.default_rng(7)
    walk = rng.normal(size=n + 4).cumsum()
    return [",".join(f"{v:.4f}" for v in walk[i:i + 5]) for i in range(n)]


def parse(line):
    parts = tf.string_split([line], ",").values
    row = tf.reshape(tf.string_to_number(parts), [LAGS + 1])
    return row[:-1], row[-1:]


def input_fn(rows, batch):
    ds = tf.data.Dataset.from_tensor_slices(rows)
    ds = ds.map(parse).repeat(3).batch(batch)
    return tf.data.make_one_shot_iterator(ds).get_next()


lags, target = input_fn(lines(), batch=8)
w = tf.get_variable("w", [LAGS, 1])
pred = tf.matmul(lags, w)
loss = tf.reduce_mean(tf.abs(pred - target))
train = tf.train.GradientDescentOptimizer(0.001).minimize(loss)

history = []
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    while True:
        try:
            history.append(sess.run([loss, train])[0])
        except tf.errors.OutOfRangeError:
            break
print("steps", len(history), "last", history[-1])
