"""Next-item recommendation from supermarket baskets with a small self-attention encoder."""
from collections import Counter

import numpy as np
import tensorflow as tf

PAD, UNKNOWN = "<pad>", "<unk>"
MIN_COUNT = 3
LENGTH = 8


def baskets(n, rng):
    shelf = [f"sku{i:03d}" for i in range(90)]
    weight = 1.0 / np.arange(1, 91)
    weight /= weight.sum()
    return [list(rng.choice(shelf, size=rng.integers(3, LENGTH + 1), p=weight, replace=False))
            for _ in range(n)]


class Vocabulary:
    def __init__(self, rows):
        counts = Counter(item for row in rows for item in row)
        kept = sorted(item for item, c in counts.items() if c >= MIN_COUNT)
        self.items = [PAD] + kept
        self.index = {item: i for i, item in enumerate(self.items)}
        self.unknown = len(self.items)

    def encode(self, row):
        return [self.index.get(item, self.unknown) for item in row]

    def __len__(self):
        return len(self.items)


def to_arrays(rows, vocab):
    x = np.zeros((len(rows), LENGTH - 1), "int32")
    y = np.zeros(len(rows), "int32")
    for i, row in enumerate(rows):
        ids = vocab.encode(row)
        head = ids[:-1]
        x[i, :len(head)] = head
        y[i] = ids[-1] if ids[-1] < len(vocab) else 0
    return x, y


class Encoder(tf.keras.Model):
    def __init__(self, vocab_size, width=16):
        super().__init__()
        self.table = self.add_weight(shape=(vocab_size, width), initializer="random_normal", name="table")
        self.attend = tf.keras.layers.MultiHeadAttention(2, 8)
        self.norm = tf.keras.layers.LayerNormalization()

    def call(self, ids):
        mask = tf.not_equal(ids, 0)
        h = tf.nn.embedding_lookup(self.table, ids)
        a = self.attend(h, h, attention_mask=mask[:, None, :])
        h = self.norm(h + a)
        m = tf.cast(mask, h.dtype)[..., None]
        pooled = tf.reduce_sum(h * m, 1) / tf.maximum(tf.reduce_sum(m, 1), 1.0)
        return tf.matmul(pooled, self.table, transpose_b=True)


def hit_rate(model, x, y, k=10):
    top = tf.math.top_k(model(x), k).indices.numpy()
    return float(np.mean([t in row for t, row in zip(y, top)]))


def main():
    rng = np.random.default_rng(19)
    rows = baskets(240, rng)
    train, test = rows[:200], rows[200:]
    vocab = Vocabulary(train)
    print("items kept", len(vocab), "of", len({i for r in train for i in r}))
    x, y = to_arrays(train, vocab)
    model = Encoder(len(vocab))
    optimizer = tf.keras.optimizers.Adam(5e-3)
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    for epoch in range(2):
        order = rng.permutation(len(x))
        total = 0.0
        for part in np.array_split(order, 5):
            with tf.GradientTape() as tape:
                loss = loss_of(y[part], model(x[part], training=True))
            grads = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(grads, model.trainable_variables))
            total += float(loss)
        print("epoch", epoch, "loss", round(total / 5, 4))
    print("hit@10", hit_rate(model, *to_arrays(test, vocab)))


main()
