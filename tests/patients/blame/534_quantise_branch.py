import tensorflow as tf

LEVELS = 15


class FakeQuant(tf.Module):
    """Quantisation aware linear layer; rounding starts after a warm-up."""

    def __init__(self, n_in, n_out, warmup):
        super().__init__()
        self.w = tf.Variable(tf.random.normal([n_in, n_out], stddev=0.3))
        self.counter = tf.Variable(0, trainable=False)
        self.warmup = warmup

    def round_ste(self, x):
        lo, hi = tf.reduce_min(x), tf.reduce_max(x)
        scale = (hi - lo) / LEVELS
        q = tf.cast(tf.round((x - lo) / scale), tf.int32)
        return q

    @tf.function
    def __call__(self, x):
        self.counter.assign_add(1)
        y = tf.matmul(x, self.w)
        if self.counter > self.warmup:
            y = self.round_ste(y)
        return tf.nn.relu(y)


def run(steps=4):
    tf.random.set_seed(1)
    layer = FakeQuant(10, 6, warmup=2)
    x = tf.random.normal([8, 10])
    t = tf.random.normal([8, 6])
    for i in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(layer(x) - t))
        g = tape.gradient(loss, layer.w)
        if g is not None:
            layer.w.assign_sub(0.05 * g)
        print(i, float(loss))


run()
