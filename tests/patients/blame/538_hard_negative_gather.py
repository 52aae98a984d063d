import numpy as np
import tensorflow as tf


def embed(x, w):
    return tf.math.l2_normalize(tf.matmul(x, w), axis=1)


def hardest_negatives(anchors, bank):
    """anchors: (A, D), bank: (N, D) -> (A, D), most similar bank row per anchor"""
    sim = tf.matmul(anchors, bank, transpose_b=True)
    idx = tf.argmax(sim, axis=0)
    return tf.gather(bank, idx)


def triplet_margin(a, p, n, margin=0.3):
    d_ap = tf.reduce_sum(tf.square(a - p), axis=1)
    d_an = tf.reduce_sum(tf.square(a - n), axis=1)
    return tf.reduce_mean(tf.nn.relu(d_ap - d_an + margin))


def sample(rng, n, dim=20):
    return tf.constant(rng.normal(size=(n, dim)), tf.float32)


def main():
    rng = np.random.default_rng(17)
    w = tf.Variable(tf.constant(rng.normal(size=(20, 8)) * 0.1, tf.float32))
    opt = tf.keras.optimizers.Adam(0.01)
    for step in range(4):
        x = sample(rng, 24)
        pos = x + 0.1 * sample(rng, 24)
        neg = sample(rng, 10)
        with tf.GradientTape() as tape:
            a, p, bank = embed(x, w), embed(pos, w), embed(neg, w)
            n = hardest_negatives(a, bank)
            loss = triplet_margin(a, p, n)
        opt.apply_gradients([(tape.gradient(loss, w), w)])
        print(step, float(loss))


main()
