# Regional swing model, kept in graph mode since 2017. Runs under TF2 through compat.v1.
import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.INFO)

REGIONS = 12
COVARIATES = 6
STEPS = 1500
LOG_EVERY = 250
L2 = 1e-3


def polls(n, seed):
    rng = np.random.RandomState(seed)
    region = rng.randint(0, REGIONS, n)
    x = rng.randn(n, COVARIATES).astype(np.float32)
    w = np.random.RandomState(42).randn(REGIONS, COVARIATES) * 0.7
    swing = (x * w[region]).sum(1) + 0.1 * rng.randn(n)
    return region.astype(np.int32), x, swing.astype(np.float32)


class SwingGraph(object):
    def __init__(self):
        self.region = tf.placeholder(tf.int32, [None], "region")
        self.x = tf.placeholder(tf.float32, [None, COVARIATES], "x")
        self.y = tf.placeholder(tf.float32, [None], "y")
        self.keep = tf.placeholder_with_default(1.0, [], "keep")
        with tf.variable_scope("swing", reuse=tf.AUTO_REUSE):
            table = tf.get_variable("slopes", [REGIONS, COVARIATES], initializer=tf.zeros_initializer())
            bias = tf.get_variable("bias", [REGIONS], initializer=tf.zeros_initializer())
        slopes = tf.nn.embedding_lookup(table, self.region)
        self.pred = tf.reduce_sum(tf.nn.dropout(self.x, keep_prob=self.keep) * slopes, 1)
        self.pred += tf.gather(bias, self.region)
        self.loss = tf.reduce_mean(tf.square(self.pred - self.y)) + L2 * tf.nn.l2_loss(table)
        self.error = tf.sqrt(tf.reduce_mean(tf.square(self.pred - self.y)), name="error")
        self.step = tf.train.get_or_create_global_step()
        rate = tf.train.exponential_decay(0.05, self.step, 500, 0.7)
        opt = tf.train.AdamOptimizer(rate)
        grads, tvars = zip(*opt.compute_gradients(self.loss))
        grads, self.norm = tf.clip_by_global_norm(grads, 5.0)
        self.train = opt.apply_gradients(zip(grads, tvars), global_step=self.step)


def batches(data, size, seed=0):
    rng = np.random.RandomState(seed)
    n = len(data[0])
    while True:
        take = rng.randint(0, n, size)
        yield [d[take] for d in data]


def main():
    tf.set_random_seed(1)
    train, test = polls(4000, 0), polls(800, 1)
    g = SwingGraph()
    tf.summary.scalar("loss", g.loss)
    merged = tf.summary.merge_all()
    saver = tf.train.Saver(max_to_keep=2)
    folder = tempfile.mkdtemp()
    feed_test = dict(zip([g.region, g.x, g.y], test))

    config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)
    config.gpu_options.allow_growth = True
    with tf.Session(config=config) as sess:
        sess.run(tf.global_variables_initializer())
        writer = tf.summary.FileWriter(folder, sess.graph)
        best = float("inf")
        for r, x, y in batches(train, 64):
            _, k, loss, norm = sess.run([g.train, g.step, g.loss, g.norm],
                                        {g.region: r, g.x: x, g.y: y, g.keep: 0.95})
            if k % LOG_EVERY == 0:
                err, s = sess.run([g.error, merged], feed_test)
                writer.add_summary(s, k)
                print("step %5d  loss %.4f  |grad| %.3f  test error %.4f" % (k, loss, norm, err))
                if err < best:
                    best = err
                    saver.save(sess, os.path.join(folder, "swing"), global_step=k)
            if k >= STEPS:
                break
        writer.close()

    with tf.Session(config=config) as sess:
        saver.restore(sess, tf.train.latest_checkpoint(folder))
        print("restored model, test error %.4f" % sess.run(g.error, feed_test))


if __name__ == "__main__":
    main()
