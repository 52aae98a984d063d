import numpy as np
import tensorflow as tf

DIM, OUT = 6, 3


def interleave(a, b):
    return np.stack([a, b], axis=1).reshape(-1, a.shape[1])


def pairs(n=32, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(n, DIM))
    same = rng.integers(0, 2, n)
    b = np.where(same[:, None] == 1, a + 0.05 * rng.normal(size=a.shape), rng.normal(size=a.shape))
    return interleave(a, b).astype("float32"), same.astype("float32")


class Embedder(tf.Module):
    def __init__(self, seed=1):
        super().__init__()
        rng = np.random.default_rng(seed)
        self.w = tf.Variable(rng.normal(0, 0.5, (DIM, OUT)).astype("float32"))

    @tf.function
    def __call__(self, x):
        return tf.math.l2_normalize(tf.tanh(x @ self.w), axis=1)


@tf.function
def contrastive(emb, same, margin=1.0):
    left, right = emb[0::2], emb[1::2]
    d = tf.norm(left - right, axis=1)
    return tf.reduce_mean(same * d ** 2 + (1 - same) * tf.maximum(margin - d, 0.0) ** 2), d


@tf.function
def in_batch_loss(emb, same, temperature=0.1):
    logits = tf.matmul(emb[0::2], emb[1::2], transpose_b=True) / temperature
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.range(tf.shape(logits)[0]), logits=logits)
    return tf.reduce_sum(each * same) / tf.reduce_sum(same)


emb = Embedder()
x, same = pairs()
loss, d = contrastive(emb(tf.constant(x)), tf.constant(same))
d = d.numpy()
print("contrastive loss %.4f" % float(loss))
print("in-batch loss %.4f" % float(in_batch_loss(emb(tf.constant(x)), tf.constant(same))))
print("mean distance of matching pairs %.3f, of others %.3f" % (d[same == 1].mean(), d[same == 0].mean()))
