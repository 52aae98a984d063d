"""Sample melodies, note by note, from a small transformer-like next-note model."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

NOTES = 30
START = 0
MAX_NOTES = 16
WIDTH = 24


class CausalBlock(keras.layers.Layer):
    def __init__(self, width, heads, **kw):
        super().__init__(**kw)
        self.attn = keras.layers.MultiHeadAttention(heads, width // heads)
        self.norm_a = keras.layers.LayerNormalization()
        self.norm_b = keras.layers.LayerNormalization()
        self.mlp = keras.Sequential([keras.layers.Dense(2 * width, activation="gelu"), keras.layers.Dense(width)])

    def call(self, x):
        x = x + self.attn(self.norm_a(x), self.norm_a(x), use_causal_mask=True)
        return x + self.mlp(self.norm_b(x))


class NoteModel(keras.Model):
    def __init__(self):
        super().__init__()
        self.embed = keras.layers.Embedding(NOTES, WIDTH)
        self.place = keras.layers.Embedding(MAX_NOTES + 1, WIDTH)
        self.block = CausalBlock(WIDTH, 3)
        self.logits = keras.layers.Dense(NOTES)

    def call(self, notes):
        positions = tf.range(tf.shape(notes)[1])
        h = self.embed(notes) + self.place(positions)[tf.newaxis]
        return self.logits(self.block(h))


def scales(n, rng):
    """Up-and-down scales in several keys, with the start token in front."""
    steps = np.array([0, 2, 4, 5, 7, 9, 11, 12])
    rows = []
    for _ in range(n):
        root = rng.integers(1, 15)
        run = np.concatenate([steps, steps[::-1]])[: MAX_NOTES] + root
        rows.append(np.concatenate([[START], run]))
    return np.array(rows, dtype="int32")


class Sampler(tf.Module):
    def __init__(self, model, temperature):
        super().__init__()
        self.model = model
        self.temperature = temperature

    def extend(self, notes, done):
        scores = self.model(notes)[:, -1] / self.temperature
        nxt = tf.random.categorical(scores, 1, dtype=tf.int32)
        done = tf.logical_or(done, tf.equal(nxt[:, 0], START))
        nxt = tf.where(done[:, tf.newaxis], START, nxt)
        return tf.concat([notes, nxt], axis=1), done

    @tf.function
    def sample(self, count):
        notes = tf.fill([count, 1], START)
        done = tf.zeros([count], tf.bool)
        step = tf.constant(0)

        def going(step, notes, done):
            return tf.logical_and(step < MAX_NOTES, tf.logical_not(tf.reduce_all(done)))

        def body(step, notes, done):
            notes, done = self.extend(notes, done)
            return step + 1, notes, done

        _, notes, _ = tf.while_loop(going, body, [step, notes, done])
        return notes


def main():
    keras.utils.set_random_seed(9)
    rng = np.random.default_rng(9)
    data = scales(160, rng)
    model = NoteModel()
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(data[:, :-1], data[:, 1:], batch_size=32, epochs=2, verbose=2)

    sampler = Sampler(model, temperature=0.8)
    for row in sampler.sample(4).numpy():
        print(" ".join(str(int(n)) for n in row))


if __name__ == "__main__":
    main()
