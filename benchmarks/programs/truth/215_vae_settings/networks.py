import tensorflow as tf

from settings import current


def glorot(a, b):
    return tf.Variable(tf.random.normal([a, b], stddev=(2.0 / (a + b)) ** 0.5))


class Encoder(tf.Module):
    def __init__(self, bins, latent=current["latent"]):
        super().__init__()
        self.w1 = glorot(bins, current["hidden"])
        self.w2 = glorot(current["hidden"], 2 * latent)

    def __call__(self, x):
        h = tf.nn.elu(tf.matmul(x, self.w1))
        return tf.split(tf.matmul(h, self.w2), 2, axis=1)


class Decoder(tf.Module):
    def __init__(self, bins):
        super().__init__()
        self.w1 = glorot(current["latent"], current["hidden"])
        self.w2 = glorot(current["hidden"], bins)

    def __call__(self, code):
        return tf.matmul(tf.nn.elu(tf.matmul(code, self.w1)), self.w2)
