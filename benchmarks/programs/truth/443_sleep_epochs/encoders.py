import tensorflow as tf


class Envelope(tf.Module):
    """Slow amplitude of each derivation."""

    def __init__(self, pool=2):
        super().__init__()
        self.pool = pool
        self.gain = tf.Variable(tf.ones([2]))

    def __call__(self, x):
        power = tf.square(x) * self.gain
        return tf.nn.avg_pool1d(power, self.pool, self.pool, padding="VALID")


class FilterBank(tf.Module):
    def __init__(self, n_filters=6, taps=25, stride=2, seed=0):
        super().__init__()
        self.stride = stride
        init = tf.random.stateless_normal([taps, 2, n_filters], seed=[seed, 1]) * 0.2
        self.kernel = tf.Variable(init)

    def __call__(self, x):
        y = tf.nn.conv1d(x, self.kernel, stride=self.stride, padding="SAME")
        return tf.nn.relu(y)


class Stager(tf.Module):
    def __init__(self, n_stages=5):
        super().__init__()
        self.bank = FilterBank()
        self.envelope = Envelope()
        self.out = tf.Variable(tf.random.stateless_normal([8, n_stages], seed=[5, 5]) * 0.3)

    def features(self, x):
        parts = [self.bank(x), self.envelope(x)]
        return tf.concat(parts, axis=-1)

    def __call__(self, x):
        pooled = tf.reduce_mean(self.features(x), axis=1)
        return pooled @ self.out
