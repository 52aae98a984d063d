import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import io
import numpy as np
import pandas as pd
import tensorflow as tf

CSV_ROWS = 96
COLUMNS = ["ph", "clay", "sand", "organic", "nitrogen"]


def make_csv():
    r = np.random.RandomState(8)
    df = pd.DataFrame(r.rand(CSV_ROWS, len(COLUMNS)), columns=COLUMNS)
    df["soil"] = (df["clay"] * 3).astype(int)
    return io.StringIO(df.to_csv(index=False))


def load():
    df = pd.read_csv(make_csv())
    x = df[COLUMNS].values.astype(np.float32)
    y = df[["soil"]].values.astype(np.int32)
    return x, y


class SoilNet(tf.Module):
    def __init__(self, n_classes):
        super().__init__()
        init = tf.random.Generator.from_seed(1)
        self.w1 = tf.Variable(init.normal((len(COLUMNS), 16)) * 0.3)
        self.b1 = tf.Variable(tf.zeros(16))
        self.w2 = tf.Variable(init.normal((16, n_classes)) * 0.3)
        self.b2 = tf.Variable(tf.zeros(n_classes))

    def __call__(self, x):
        return tf.nn.relu(x @ self.w1 + self.b1) @ self.w2 + self.b2


X, Y = load()
net = SoilNet(3)


@tf.function(input_signature=[
    tf.TensorSpec([None, len(COLUMNS)], tf.float32),
    tf.TensorSpec([None], tf.int32),
])
def train(x, y):
    with tf.GradientTape() as tape:
        ce = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=net(x))
        loss = tf.reduce_mean(ce)
    for v, g in zip(net.trainable_variables, tape.gradient(loss, net.trainable_variables)):
        v.assign_sub(0.2 * g)
    return loss


for epoch in range(4):
    p = np.random.permutation(CSV_ROWS)
    losses = [train(X[p[i:i + 24]], Y[p[i:i + 24]]) for i in range(0, CSV_ROWS, 24)]
    print(epoch, float(tf.add_n(losses)) / 4)
