import tensorflow as tf


class CoverHead(tf.Module):
    """Votes per patch, averaged to cover fractions of one photograph."""

    def __init__(self, n_patches, d_in, width, n_classes, seed=3):
        super().__init__()
        g = tf.random.Generator.from_seed(seed)
        self.n_patches = n_patches
        self.w1 = tf.Variable(g.normal([d_in, width]) * d_in ** -0.5)
        self.b1 = tf.Variable(tf.zeros([width]))
        self.w2 = tf.Variable(g.normal([width, n_classes]) * width ** -0.5)
        self.pos = tf.Variable(tf.zeros([n_patches, width]))

    def __call__(self, flat):
        h = tf.einsum("bpd,dw->bpw", flat, self.w1) + self.b1 + self.pos
        votes = tf.nn.softmax(tf.einsum("bpw,wc->bpc", tf.nn.gelu(h), self.w2))
        return tf.reduce_mean(votes, axis=1)
