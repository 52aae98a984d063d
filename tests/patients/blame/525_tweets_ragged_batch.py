import numpy as np
import tensorflow as tf

TWEETS = [
    "so happy today", "this is the worst service ever", "meh",
    "loving the new update", "please fix the app it keeps crashing", "ok then",
    "best day", "never again with this airline", "cannot complain at all really",
    "thanks for the quick reply", "lost my luggage again", "nice",
]
MOOD = [2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 2]


class Pipeline:
    def __init__(self, batch_size=4):
        self.batch_size = batch_size
        self.lookup = tf.keras.layers.TextVectorization(max_tokens=64)
        self.lookup.adapt(TWEETS)

    def _encode(self, text, label):
        return self.lookup(text), label

    def make(self, training):
        ds = tf.data.Dataset.from_tensor_slices((TWEETS, MOOD))
        ds = ds.map(self._encode).cache()
        if training:
            ds = ds.shuffle(len(TWEETS), seed=0)
        ds = ds.batch(self.batch_size)
        return ds.prefetch(tf.data.AUTOTUNE)


def make_model(vocab):
    return tf.keras.Sequential([
        tf.keras.layers.Embedding(vocab, 12, mask_zero=True),
        tf.keras.layers.GlobalAveragePooling1D(),
        tf.keras.layers.Dense(3),
    ])


pipe = Pipeline()
model = make_model(pipe.lookup.vocabulary_size())
model.compile(
    optimizer=tf.keras.optimizers.Adam(0.01),
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
)
model.fit(pipe.make(training=True), epochs=2, verbose=0)
print(model.evaluate(pipe.make(training=False), verbose=0))
