import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(69)
VOCAB, MAX_TOKENS, CONTEXT = 100, 24, 30

WORDS = "server disk network login password slow crash error update printer screen mail".split()


def tickets(n):
    rng = np.random.default_rng(69)
    texts, team = [], []
    for _ in range(n):
        k = rng.integers(4, 40)
        picked = rng.choice(WORDS, k)
        texts.append(" ".join(picked))
        team.append(int("password" in picked))
    return np.array(texts, dtype=object), np.array(team, "float32")


texts, team = tickets(64)
vectorize = layers.TextVectorization(
    max_tokens=VOCAB, output_mode="int", output_sequence_length=CONTEXT)
vectorize.adapt(tf.constant(texts.astype(str)))


def build():
    ids = layers.Input((MAX_TOKENS,), dtype="int64")
    x = layers.Embedding(VOCAB, 8)(ids)
    x = layers.Flatten()(x)
    x = layers.Dense(12, activation="relu")(x)
    return keras.Model(ids, layers.Dense(1, activation="sigmoid")(x))


ids = vectorize(tf.constant(texts.astype(str)))
router = build()
router.compile("adam", "binary_crossentropy", metrics=["accuracy"])
router.fit(ids, team, epochs=1, batch_size=16, verbose=0)
print(router.predict(ids[:3], verbose=0).ravel())
