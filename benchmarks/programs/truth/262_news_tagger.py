"""Topic tagger for short headlines with a vocabulary learnt from the training split."""
import collections
import random

import numpy as np
import tensorflow as tf
from tensorflow import keras

random.seed(4)
np.random.seed(4)
tf.random.set_seed(4)

TOPICS = {
    "sport": "goal match league coach striker derby season transfer penalty cup".split(),
    "market": "shares bank profit index bond yield merger dividend inflation rate".split(),
    "science": "telescope gene protein orbit fossil vaccine quantum particle climate ice".split(),
}
FILLER = "the a of in after as over new big late early report says plan".split()
LENGTH = 12


def headline(topic):
    words = random.choices(TOPICS[topic], k=4) + random.choices(FILLER, k=random.randint(3, 7))
    random.shuffle(words)
    return " ".join(words)


class Vocabulary:
    """Word to id; 0 pads, 1 stands for words that were not seen."""

    PAD, UNK = 0, 1

    def __init__(self, texts, min_count=1):
        counts = collections.Counter(w for t in texts for w in t.split())
        kept = [w for w, c in counts.most_common() if c >= min_count]
        self.index = {w: i for i, w in enumerate(kept, start=2)}

    def __len__(self):
        return len(self.index)

    def encode(self, text, length):
        ids = [self.index.get(w, self.UNK) for w in text.split()][:length]
        return ids + [self.PAD] * (length - len(ids))


class AttentivePool(keras.layers.Layer):
    def build(self, shape):
        self.score = self.add_weight(shape=(shape[-1], 1), initializer="glorot_uniform")

    def call(self, x):
        weights = tf.nn.softmax(tf.squeeze(tf.matmul(x, self.score), -1), axis=-1)
        return tf.einsum("bt,btd->bd", weights, x)


class Tagger(keras.Model):
    def __init__(self, size, width, classes):
        super().__init__()
        self.table = keras.layers.Embedding(size, width)
        self.conv = keras.layers.Conv1D(width, 3, padding="same", activation="relu")
        self.pool = AttentivePool()
        self.out = keras.layers.Dense(classes)

    def call(self, ids):
        h = self.table(ids)
        h = self.conv(h)
        return self.out(self.pool(h))


def make_split(n):
    names = list(TOPICS)
    labels = np.random.randint(0, len(names), size=n)
    return [headline(names[i]) for i in labels], labels


def main():
    texts, labels = make_split(256)
    vocab = Vocabulary(texts)
    ids = np.array([vocab.encode(t, LENGTH) for t in texts], dtype="int32")
    print("vocabulary", len(vocab), "matrix", ids.shape, "padding share", (ids == 0).mean().round(3))

    model = Tagger(len(vocab), 16, len(TOPICS))
    model.compile(
        optimizer=keras.optimizers.Adam(5e-3),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.fit(ids, labels, batch_size=32, epochs=2, verbose=2)

    texts, labels = make_split(64)
    ids = np.array([vocab.encode(t, LENGTH) for t in texts], dtype="int32")
    print(model.evaluate(ids, labels, verbose=0))


if __name__ == "__main__":
    main()
