"""Support tickets: string work stays on the host, the rest is clustered by the auto-jit."""
import os

os.environ["TF_XLA_FLAGS"] = "--tf_xla_auto_jit=2 --tf_xla_cpu_global_jit --tf_xla_min_cluster_size=2"

import numpy as np
import tensorflow as tf

WORDS = "printer login invoice refund slow crash update password paper charge".split()
BINS = 64


def tickets(count, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, count)
    text = []
    for kind in y:
        pool = WORDS[:5] if kind else WORDS[4:]
        text.append(" ".join(rng.choice(pool, rng.integers(3, 9))))
    return tf.constant(text), tf.constant(y[:, None], tf.float32)


class Bag(tf.Module):
    def __init__(self, width=16, seed=1):
        super().__init__()
        g = tf.random.Generator.from_seed(seed)
        self.w = tf.Variable(0.3 * g.normal([BINS, width]))
        self.v = tf.Variable(0.3 * g.normal([width, 1]))

    def bins(self, text):
        ids = tf.strings.to_hash_bucket_fast(tf.strings.split(text), BINS)
        return tf.reduce_sum(tf.one_hot(ids.to_tensor(-1), BINS), axis=1)

    @tf.function
    def fit(self, text, y, rate):
        bag = self.bins(text)
        with tf.GradientTape() as tape:
            h = tf.nn.gelu(tf.math.log1p(bag) @ self.w)
            z = h @ self.v
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(y, z))
            loss += 1e-3 * (tf.nn.l2_loss(self.w) + tf.nn.l2_loss(self.v))
        for var, g in zip((self.w, self.v), tape.gradient(loss, [self.w, self.v])):
            var.assign_sub(rate * tf.clip_by_norm(g, 1.0))
        return loss, tf.reduce_mean(tf.cast((z > 0) == (y > 0.5), tf.float32))


def main():
    text, y = tickets(120, seed=2)
    net = Bag()
    for i in range(25):
        loss, right = net.fit(text, y, tf.constant(0.5))
    print("loss", round(float(loss), 4), "right", round(float(right), 3))
    assert float(right) > 0.8


if __name__ == "__main__":
    main()
