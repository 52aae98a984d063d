import keras
import tensorflow as tf

from .cell import MinimalGatedUnit


class CharLM(keras.Model):
    def __init__(self, vocabulary, units, batch):
        super().__init__()
        self.embed = keras.layers.Embedding(vocabulary, 16)
        self.cell = MinimalGatedUnit(units)
        self.head = keras.layers.Dense(vocabulary)
        self.units, self.batch = units, batch

    def start(self, batch=None):
        return tf.zeros([batch or self.batch, self.units])

    def call(self, ids, h):
        e = self.embed(ids)
        out = []
        for t in range(ids.shape[1]):
            h = self.cell(e[:, t], h)
            out.append(h)
        return self.head(tf.stack(out, axis=1)), h

    def sample(self, alphabet, prompt, n, temperature=0.7, seed=0):
        rng = tf.random.Generator.from_seed(seed)
        ids, h = alphabet.encode(prompt), self.start(1)
        logits, h = self(tf.constant([ids]), h)
        for _ in range(n):
            z = logits[0, -1] / temperature
            g = -tf.math.log(-tf.math.log(rng.uniform(z.shape, 1e-6, 1.0 - 1e-6)))
            ids.append(int(tf.argmax(z + g)))
            logits, h = self(tf.constant([ids[-1:]]), h)
        return alphabet.decode(ids)
