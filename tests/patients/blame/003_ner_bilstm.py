import numpy as np
import keras
from keras import layers
from keras.utils import pad_sequences

keras.utils.set_random_seed(11)
MAX_LEN = 18
TAG2ID = {"O": 0, "B-PER": 1, "I-PER": 2, "B-LOC": 3, "I-LOC": 4}


def corpus(n=60):
    rng = np.random.default_rng(11)
    sents, tags = [], []
    for _ in range(n):
        k = int(rng.integers(6, 26))
        sents.append([f"w{j}" for j in rng.integers(0, 120, k)])
        tags.append(list(rng.choice(list(TAG2ID), k)))
    return sents, tags


sentences, tags = corpus()
vocab = sorted({w for s in sentences for w in s})
word2id = {w: i + 1 for i, w in enumerate(vocab)}

word_ids = [[word2id[w] for w in s] for s in sentences]
tag_ids = [[TAG2ID[t] for t in ts] for ts in tags]

X = pad_sequences(word_ids, maxlen=MAX_LEN, padding="post")
y = pad_sequences(tag_ids, padding="post", value=TAG2ID["O"])

tokens = keras.Input((MAX_LEN,), dtype="int32")
x = layers.Embedding(len(word2id) + 1, 24)(tokens)
x = layers.Bidirectional(layers.LSTM(12, return_sequences=True))(x)
scores = layers.Dense(len(TAG2ID), activation="softmax")(x)
tagger = keras.Model(tokens, scores, name="bilstm_tagger")
tagger.summary()

tagger.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
tagger.fit(X, y, batch_size=20, epochs=1, verbose=0)
print(tagger.predict(X[:1], verbose=0).argmax(-1))
