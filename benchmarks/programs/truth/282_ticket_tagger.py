import collections
import re

import numpy as np
import tensorflow as tf

SUBJECTS = ["printer", "login", "network", "invoice", "laptop", "screen", "email", "vpn"]
VERBS = ["fails", "hangs", "rejects", "drops", "flickers", "loses", "returns"]
ENDINGS = ["again today", "since the update", "for the whole office", "after lunch", "at random"]
QUEUES = {"printer": 0, "laptop": 0, "screen": 0, "login": 1, "vpn": 1, "network": 1, "email": 2, "invoice": 2}

MAX_TOKENS = 10
MIN_COUNT = 2
PAD, UNK = 0, 1


def fake_tickets(n, seed):
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for _ in range(n):
        s = str(rng.choice(SUBJECTS))
        texts.append(f"{s} {rng.choice(VERBS)} {rng.choice(ENDINGS)}, ref {rng.integers(100, 130)}")
        labels.append(QUEUES[s])
    return texts, np.array(labels, "int32")


class Vocabulary:
    """Word ids by falling frequency. 0 pads, 1 stands for a rare word."""

    def __init__(self, min_count=MIN_COUNT):
        self.min_count = min_count
        self.index = {}

    @staticmethod
    def split(text):
        return re.findall(r"[a-z]+|\d+", text.lower())

    def fit(self, texts):
        counts = collections.Counter(w for t in texts for w in self.split(t))
        kept = [w for w, c in counts.most_common() if c >= self.min_count]
        self.index = {w: i + 2 for i, w in enumerate(kept)}
        return self

    @property
    def size(self):
        return len(self.index)

    def encode(self, texts):
        ids = np.full((len(texts), MAX_TOKENS), PAD, "int32")
        for r, text in enumerate(texts):
            for c, w in enumerate(self.split(text)[:MAX_TOKENS]):
                ids[r, c] = self.index.get(w, UNK)
        return ids


class Tagger(tf.keras.Model):
    def __init__(self, words, width=24, queues=3):
        super().__init__()
        self.table = tf.keras.layers.Embedding(words, width, mask_zero=True)
        self.pool = tf.keras.layers.GlobalAveragePooling1D()
        self.drop = tf.keras.layers.Dropout(0.2)
        self.out = tf.keras.layers.Dense(queues)

    def call(self, ids, training=False):
        x = self.table(ids)
        x = self.pool(x, mask=self.table.compute_mask(ids))
        return self.out(self.drop(x, training=training))


def main():
    tf.keras.utils.set_random_seed(5)
    texts, labels = fake_tickets(1200, 0)
    vocab = Vocabulary().fit(texts)
    print("words:", vocab.size)

    model = Tagger(vocab.size)
    model.compile(
        optimizer=tf.keras.optimizers.Adam(5e-3),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    x = vocab.encode(texts)
    model.fit(x[:1000], labels[:1000], batch_size=50, epochs=3, verbose=2,
              validation_data=(x[1000:], labels[1000:]))

    new, truth = fake_tickets(100, 9)
    guess = np.argmax(model.predict(vocab.encode(new), verbose=0), axis=-1)
    print("queue accuracy on new tickets:", float(np.mean(guess == truth)))


if __name__ == "__main__":
    main()
