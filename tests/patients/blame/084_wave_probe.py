import numpy as np
import tensorflow as tf

tf.random.set_seed(115)
LENGTH = 40
POOL = {"train": 2, "eval": 4}


def pool(x, factor):
    n = x.shape[1] // factor
    return tf.reduce_mean(tf.reshape(x, (-1, n, factor)), axis=2)


class Probe(tf.Module):
    def __init__(self):
        n = LENGTH // POOL["train"]
        self.w = tf.Variable(tf.random.normal((n, 5), stddev=0.1))

    @tf.function(input_signature=[tf.TensorSpec([None, LENGTH]), tf.TensorSpec([], tf.bool)])
    def __call__(self, x, training):
        noisy = lambda: pool(x + tf.random.normal(tf.shape(x), stddev=0.1), POOL["train"])
        plain = lambda: pool(x, POOL["eval"])
        h = tf.cond(training, noisy, plain)
        return tf.matmul(h, self.w)


def train(probe, x, y, steps):
    opt = tf.keras.optimizers.SGD(0.1)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            logits = probe(x, tf.constant(True))
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
        opt.apply_gradients([(tape.gradient(loss, probe.w), probe.w)])
    return float(loss)


rng = np.random.default_rng(115)
waves = rng.normal(size=(30, LENGTH)).astype("float32")
kind = rng.integers(0, 5, 30)
probe = Probe()
print("train", train(probe, tf.constant(waves[:21]), kind[:21], steps=3))
scores = probe(tf.constant(waves[21:]), tf.constant(False))
print("accuracy", np.mean(scores.numpy().argmax(1) == kind[21:]))
