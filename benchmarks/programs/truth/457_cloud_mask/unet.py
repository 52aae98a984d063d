import tensorflow as tf


def conv(x, kernel, stride=1):
    return tf.nn.relu(tf.nn.conv2d(x, kernel, strides=stride, padding="SAME"))


class TinyUNet(tf.Module):
    def __init__(self, n_bands, width=8, seed=1):
        super().__init__()
        g = tf.random.Generator.from_seed(seed)

        def k(h, i, o):
            return tf.Variable(g.normal([h, h, i, o]) * (2.0 / (h * h * i)) ** 0.5)

        self.enter = k(3, n_bands, width)
        self.down = k(3, width, 2 * width)
        self.up = k(3, 2 * width, width)
        self.leave = k(1, 2 * width, 1)

    @tf.function
    def __call__(self, x):
        a = conv(x, self.enter)
        b = conv(a, self.down, stride=2)
        b = conv(tf.repeat(tf.repeat(b, 2, axis=1), 2, axis=2), self.up)
        return tf.nn.conv2d(tf.concat([a, b], -1), self.leave, 1, "SAME")
