"""Cooling curve of a pottery kiln, fitted in the old session style."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def readings(n=90, seed=1280):
    rng = np.random.RandomState(seed)
    hours = np.linspace(0, 30, n)
    return hours[:, None], (20 + 1260 * np.exp(-hours / 7.5) + rng.normal(0, 3, n))[:, None]


def build(graph):
    with graph.as_default():
        t = tf.placeholder(tf.float32, [None, 1], name="hours")
        y = tf.placeholder(tf.float32, [None, 1], name="celsius")
        with tf.variable_scope("curve"):
            log_tau = tf.get_variable("log_tau", [], initializer=tf.constant_initializer(1.0))
            top = tf.get_variable("top", [], initializer=tf.constant_initializer(1.0))
            room = tf.get_variable("room", [], initializer=tf.constant_initializer(0.1))
        fit = 1000.0 * (room + top * tf.exp(-t / tf.exp(log_tau)))
        loss = tf.reduce_mean(tf.square((fit - y) / 1000.0), name="loss")
        train = tf.train.AdamOptimizer(0.05).minimize(loss)
        return t, y, loss, train, (log_tau, top, room), tf.global_variables_initializer()


def main():
    hours, celsius = readings()
    graph = tf.Graph()
    t, y, loss, train, params, init = build(graph)
    order = np.random.RandomState(0).permutation(len(hours))
    with tf.Session(graph=graph) as sess:
        sess.run(init)
        for epoch in range(60):
            for k in range(0, len(order), 32):
                part = order[k:k + 32]
                sess.run(train, {t: hours[part], y: celsius[part]})
        log_tau, top, room = sess.run(params)
        final = sess.run(loss, {t: hours, y: celsius})
    print("tau %.2f h, top %.0f C, room %.0f C, loss %.2e" % (np.exp(log_tau), 1000 * top, 1000 * room, final))
    assert abs(np.exp(log_tau) - 7.5) < 1.0


if __name__ == "__main__":
    main()
