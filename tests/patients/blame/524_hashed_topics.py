"""Exercise 9: hashed bag of words with a hand-written centring layer."""
import numpy as np
import tensorflow as tf

BUCKETS = 32
TOPICS = {"sport": "match goal team cup win", "food": "soup bake salt oven taste",
          "tech": "chip code laptop cloud bug"}


def make_corpus(n=48, seed=0):
    rng = np.random.default_rng(seed)
    names = list(TOPICS)
    docs, ids = [], []
    for i in range(n):
        k = i % len(names)
        docs.append(" ".join(rng.choice(TOPICS[names[k]].split(), 6)))
        ids.append(k)
    return docs, ids


def bag(docs):
    words = tf.strings.split(docs)
    slots = tf.strings.to_hash_bucket_fast(words, BUCKETS)
    return tf.reduce_sum(tf.one_hot(slots.to_tensor(-1), BUCKETS), axis=1)


class Centre(tf.keras.layers.Layer):
    """Keeps the mean of the last batch, subtracts it."""

    def build(self, shape):
        self.mean = self.add_weight(name="mean", shape=(shape[-1],), initializer="zeros", trainable=False)

    def call(self, x, training=False):
        if training:
            self.mean.assign(tf.reduce_mean(x, axis=1))
        return x - self.mean


class TopicModel(tf.keras.Model):
    def __init__(self, n_topics):
        super().__init__()
        self.centre = Centre()
        self.hidden = tf.keras.layers.Dense(12, activation="relu")
        self.out = tf.keras.layers.Dense(n_topics)

    def call(self, x, training=False):
        return self.out(self.hidden(self.centre(x, training=training)))


docs, ids = make_corpus()
model = TopicModel(len(TOPICS))
opt = tf.keras.optimizers.Adam(0.01)
for d, y in tf.data.Dataset.from_tensor_slices((docs, ids)).batch(12):
    with tf.GradientTape() as tape:
        logits = model(bag(d), training=True)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    opt.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
print("loss", float(loss), "test", tf.argmax(model(bag(["goal cup", "oven salt"])), 1).numpy())
