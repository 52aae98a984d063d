import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

LYRICS = (
    "row row row your boat gently down the stream merrily merrily merrily merrily "
    "life is but a dream row row row your boat gently to the shore if you see a lion "
    "do not forget to roar "
) * 6

words = LYRICS.split()
lexicon = sorted(set(words))
stoi = {w: i for i, w in enumerate(lexicon)}
stream = np.array([stoi[w] for w in words])

context = 8
x = np.stack([stream[i:i + context] for i in range(len(stream) - context)])
y = np.stack([stream[i + 1:i + context + 1] for i in range(len(stream) - context)])


class TiedSoftmax(layers.Layer):
    def __init__(self, embedding, **kwargs):
        super().__init__(**kwargs)
        self.embedding = embedding

    def build(self, input_shape):
        self.offset = self.add_weight(
            shape=(input_shape[-1],), initializer="zeros", name="offset"
        )
        super().build(input_shape)

    def call(self, h):
        scores = tf.matmul(h, self.embedding.embeddings, transpose_b=True)
        return scores + self.offset


class SongModel(keras.Model):
    def __init__(self, vocab, width=20):
        super().__init__()
        self.embed = layers.Embedding(vocab, width)
        self.rnn = layers.GRU(width, return_sequences=True)
        self.drop = layers.Dropout(0.1)
        self.softmax = TiedSoftmax(self.embed)

    def call(self, ids, training=None):
        h = self.rnn(self.embed(ids))
        return self.softmax(self.drop(h, training=training))


def sing(model, seed, n):
    ids = [stoi[w] for w in seed]
    for _ in range(n):
        logits = model(np.array([ids[-context:]]))[0, -1]
        ids.append(int(tf.argmax(logits)))
    return " ".join(lexicon[i] for i in ids)


lm = SongModel(len(lexicon))
lm.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
lm.fit(x, y, batch_size=32, epochs=1, verbose=0)
print(sing(lm, ["row", "row"], 5))
