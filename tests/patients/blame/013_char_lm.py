import numpy as np
import tensorflow as tf
import keras
from keras import layers

keras.utils.set_random_seed(42)
TEXT = "the quick brown fox jumps over the lazy dog and then naps in the shade of a tall tree. " * 20
CHUNK = 32

chars = sorted(set(TEXT))
char2id = {c: i for i, c in enumerate(chars)}


def chunked(text):
    ids = np.array([char2id[c] for c in text])
    usable = len(ids) // CHUNK * CHUNK
    return ids[:usable].reshape(-1, CHUNK)


def training_pairs(chunks):
    inputs = chunks[:, :-1]
    targets = chunks
    return inputs.astype("int32"), targets.astype("int32")


class CharLM(keras.Model):
    def __init__(self, vocab, dim=16, units=32):
        super().__init__()
        self.embed = layers.Embedding(vocab, dim)
        self.rnn = layers.GRU(units, return_sequences=True)
        self.out = layers.Dense(vocab)

    def call(self, ids, training=False):
        x = self.embed(ids)
        x = self.rnn(x, training=training)
        return self.out(x)


x, y = training_pairs(chunked(TEXT))
lm = CharLM(len(chars))
lm.compile(
    optimizer=keras.optimizers.Adam(5e-3),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
)
lm.fit(x, y, batch_size=16, epochs=1, verbose=0)
logits = lm.predict(x[:1], verbose=0)
print("next:", chars[int(logits[0, -1].argmax())])
