import numpy as np
import tensorflow as tf

FRAMES, HEIGHT, WIDTH = 6, 20, 20
BATCH = 4
GESTURES = 3


class FrameEncoder(tf.keras.layers.Layer):
    def __init__(self, features=12):
        super().__init__()
        self.conv = tf.keras.layers.Conv2D(6, 5, strides=2, activation="relu")
        self.pool = tf.keras.layers.GlobalAveragePooling2D()
        self.fc = tf.keras.layers.Dense(features, activation="relu")

    def call(self, frames):
        return self.fc(self.pool(self.conv(frames)))


class GestureNet(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.features = 12
        self.encoder = FrameEncoder(self.features)
        self.rnn = tf.keras.layers.LSTM(10)
        self.out = tf.keras.layers.Dense(GESTURES)

    def call(self, clips):
        n = tf.shape(clips)[0]
        frames = tf.reshape(clips, [-1, HEIGHT, WIDTH, 1])
        codes = self.encoder(frames)
        codes = tf.reshape(codes, [n, HEIGHT, self.features])
        return self.out(self.rnn(codes))


def moving_blobs(n):
    rng = np.random.default_rng(1)
    clips = np.zeros((n, FRAMES, HEIGHT, WIDTH, 1), "float32")
    labels = rng.integers(0, GESTURES, n)
    for i, g in enumerate(labels):
        for t in range(FRAMES):
            clips[i, t, 4 + (t if g == 0 else 0), 4 + (t if g == 1 else 0)] = 1.0
    return clips, labels


clips, labels = moving_blobs(12)
net = GestureNet()
opt = tf.keras.optimizers.Adam()
for xb, yb in tf.data.Dataset.from_tensor_slices((clips, labels)).batch(BATCH):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=yb, logits=net(xb)))
    opt.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
    print(float(loss))
