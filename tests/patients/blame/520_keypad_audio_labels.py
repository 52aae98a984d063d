import numpy as np
import tensorflow as tf

NUM_KEYS = 9
SAMPLE_RATE = 800
ROWS = [697, 770, 852]
COLS = [1209, 1336, 1477]


def tone(key, seconds=0.2):
    r, c = divmod(key - 1, 3)
    t = np.arange(int(SAMPLE_RATE * seconds)) / SAMPLE_RATE
    wave = np.sin(2 * np.pi * ROWS[r] * t / 4) + np.sin(2 * np.pi * COLS[c] * t / 4)
    return (wave + np.random.normal(0, 0.1, t.shape)).astype("float32")


def read_folder(per_key=6):
    files = [("%d_%02d.wav" % (k, i), tone(k)) for k in range(1, NUM_KEYS + 1) for i in range(per_key)]
    np.random.shuffle(files)
    waves = np.stack([w for _, w in files])
    labels = np.array([int(name.split("_")[0]) for name, _ in files])
    return waves, labels


def spectrum(waves):
    spec = tf.signal.rfft(waves)
    return tf.math.log1p(tf.abs(spec))


class KeyNet(tf.Module):
    def __init__(self, n_in):
        self.w = tf.Variable(tf.random.normal([n_in, NUM_KEYS], stddev=0.05))
        self.b = tf.Variable(tf.zeros([NUM_KEYS]))

    def __call__(self, x):
        return x @ self.w + self.b


np.random.seed(0)
waves, labels = read_folder()
feats = spectrum(waves)
net = KeyNet(feats.shape[-1])
for step in range(5):
    with tf.GradientTape() as tape:
        per_example = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=net(feats))
        loss = tf.reduce_mean(per_example)
    for v, g in zip(net.trainable_variables, tape.gradient(loss, net.trainable_variables)):
        v.assign_sub(0.1 * g)
    print(step, float(loss))
