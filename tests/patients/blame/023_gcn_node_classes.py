import numpy as np
import tensorflow as tf

tf.random.set_seed(31)
rng = np.random.default_rng(31)
N_NODES, N_FEATURES, N_CLASSES = 30, 7, 3


def random_graph(n):
    a = (rng.random((n, n)) < 0.12).astype("float32")
    a = np.triu(a, 1)
    a[[4, 11, 20]] = 0
    a[:, [4, 11, 20]] = 0
    return a + a.T


def normalise(a):
    a = a + np.eye(len(a), dtype="float32")
    d = 1.0 / np.sqrt(a.sum(axis=1))
    return tf.constant(a * d[:, None] * d[None, :])


adj = random_graph(N_NODES)
features = rng.normal(size=(N_NODES, N_FEATURES)).astype("float32")
labels = rng.integers(0, N_CLASSES, N_NODES)

keep = np.isin(np.arange(N_NODES), [4, 11, 20], invert=True)
a_hat = normalise(adj)
features, labels = tf.constant(features[keep]), labels[keep]


class GraphConv(tf.Module):
    def __init__(self, n_in, n_out):
        init = tf.keras.initializers.GlorotUniform(seed=1)
        self.w = tf.Variable(init((n_in, n_out)))

    def __call__(self, a, h):
        return a @ (h @ self.w)


conv1, conv2 = GraphConv(N_FEATURES, 12), GraphConv(12, N_CLASSES)
opt = tf.keras.optimizers.Adam(0.01)
variables = [conv1.w, conv2.w]
for epoch in range(3):
    with tf.GradientTape() as tape:
        h = tf.nn.relu(conv1(a_hat, features))
        logits = conv2(a_hat, h)
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    opt.apply_gradients(zip(tape.gradient(loss, variables), variables))
    print(epoch, float(loss))
