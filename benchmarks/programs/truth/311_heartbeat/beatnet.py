import tensorflow as tf


class BeatNet(tf.Module):
    def __init__(self, leads, classes, filters=12, seed=0):
        super().__init__()
        init = tf.keras.initializers.HeNormal(seed)
        self.k1 = tf.Variable(init([9, leads, filters]))
        self.k2 = tf.Variable(init([5, filters, filters]))
        self.w = tf.Variable(init([filters, classes]))
        self.b = tf.Variable(tf.zeros([classes]))

    def __call__(self, x):
        h = tf.nn.relu(tf.nn.conv1d(x, self.k1, stride=2, padding="SAME"))
        h = tf.nn.relu(tf.nn.conv1d(h, self.k2, stride=2, padding="SAME"))
        return tf.matmul(tf.reduce_max(h, axis=1), self.w) + self.b


@tf.function(jit_compile=True)
def train_step(net, opt, x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=net(x)))
    g = tape.gradient(loss, net.trainable_variables)
    opt.apply_gradients(zip(g, net.trainable_variables))
    return loss
