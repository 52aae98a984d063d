import numpy as np
import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(53)


class Bahdanau(keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.w1 = keras.layers.Dense(units)
        self.w2 = keras.layers.Dense(units)
        self.v = keras.layers.Dense(1)

    def call(self, query, values):
        score = self.v(tf.nn.tanh(self.w1(query[:, None]) + self.w2(values)))
        weights = tf.nn.softmax(score, axis=1)
        context = tf.reduce_sum(weights * values, axis=1)
        return context, weights


class CaptionDecoder(keras.Model):
    def __init__(self, vocab, dim=12, units=20):
        super().__init__()
        self.units = units
        self.embedding = keras.layers.Embedding(vocab, dim)
        self.attention = Bahdanau(16)
        self.gru = keras.layers.GRU(units, return_state=True)
        self.fc = keras.layers.Dense(vocab)

    def call(self, token, regions, state):
        context, weights = self.attention(state, regions)
        x = self.embedding(token)
        x = tf.concat([context, x], axis=-1)
        out, state = self.gru(x, initial_state=state)
        return self.fc(out), state, weights


rng = np.random.default_rng(53)
regions = tf.constant(rng.normal(size=(8, 9, 20)).astype("float32"))
captions = rng.integers(1, 40, (8, 6))
decoder = CaptionDecoder(vocab=40)

state = tf.zeros((8, decoder.units))
total = 0.0
for t in range(captions.shape[1] - 1):
    logits, state, _ = decoder(captions[:, t:t + 1], regions, state)
    total += tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(
        captions[:, t + 1], logits, from_logits=True))
print("caption loss", float(total))
