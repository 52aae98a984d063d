"""Show-and-tell with additive attention on toy scenes."""
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, Model, optimizers, losses

VOCAB, EMB, UNITS, STEPS, START = 25, 12, 16, 6, 1


class SceneEncoder(Model):
    def __init__(self):
        super().__init__()
        self.c1 = layers.Conv2D(8, 3, strides=2, padding="same", activation="relu")
        self.c2 = layers.Conv2D(16, 3, strides=2, padding="same", activation="relu")
        self.fc = layers.Dense(EMB, activation="relu")

    def call(self, img):
        fmap = self.c2(self.c1(img))
        return self.fc(fmap)


class Attention(layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.W1, self.W2, self.V = layers.Dense(units), layers.Dense(units), layers.Dense(1)

    def call(self, regions, hidden):
        score = self.V(tf.nn.tanh(self.W1(regions) + self.W2(hidden)[:, None, :]))
        alpha = tf.nn.softmax(score, axis=1)
        return tf.reduce_sum(alpha * regions, axis=1), alpha


class WordDecoder(Model):
    def __init__(self):
        super().__init__()
        self.emb = layers.Embedding(VOCAB, EMB)
        self.cell = layers.GRUCell(UNITS)
        self.att = Attention(UNITS)
        self.out = layers.Dense(VOCAB)

    def call(self, word, regions, hidden):
        context, _ = self.att(regions, hidden)
        x = tf.concat([context, self.emb(word)], axis=-1)
        y, state = self.cell(x, [hidden])
        return self.out(y), state[0]


enc, dec = SceneEncoder(), WordDecoder()
opt = optimizers.Adam(3e-3)
ce = losses.SparseCategoricalCrossentropy(from_logits=True)


def teach(img, caption):
    loss = 0.0
    with tf.GradientTape() as tape:
        regions = enc(img)
        hidden = tf.zeros((img.shape[0], UNITS))
        word = tf.fill([img.shape[0]], START)
        for t in range(STEPS):
            logits, hidden = dec(word, regions, hidden)
            loss += ce(caption[:, t], logits)
            word = caption[:, t]
    params = enc.trainable_variables + dec.trainable_variables
    opt.apply_gradients(zip(tape.gradient(loss, params), params))
    return loss / STEPS


g = np.random.default_rng(6)
scenes = g.random((20, 24, 24, 3)).astype("float32")
captions = g.integers(2, VOCAB, (20, STEPS)).astype("int32")
for epoch in range(2):
    for k in range(0, 20, 10):
        value = teach(tf.constant(scenes[k:k + 10]), tf.constant(captions[k:k + 10]))
    print("epoch", epoch, "loss %.3f" % float(value))
