import os
import tempfile

import keras
import numpy as np

from net import TagNet
from vocab import RECIPES, TAGS, Vocabulary


def arrays(rows, vocab):
    x = np.array([vocab.encode(t) for t, _ in rows], dtype="int32")
    y = np.array([TAGS.index(tag) for _, tag in rows], dtype="int32")
    return x, y


def train(rows, path):
    vocab = Vocabulary([t for t, _ in rows])
    model = TagNet(len(vocab), len(TAGS))
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    x, y = arrays(rows, vocab)
    h = model.fit(x, y, epochs=5, batch_size=4, verbose=0, shuffle=False)
    print("trained on", len(rows), "recipes,", len(vocab), "words, loss %.3f" % h.history["loss"][-1])
    model.save_weights(path)


def serve(rows, path):
    vocab = Vocabulary([t for t, _ in rows])
    model = TagNet(len(vocab), len(TAGS))
    x, y = arrays(rows, vocab)
    model(x)
    print("serving with", len(vocab), "words")
    model.load_weights(path)
    return float((model.predict(x, verbose=0).argmax(-1) == y).mean())


if __name__ == "__main__":
    keras.utils.set_random_seed(17)
    held_out = 3
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tags.weights.h5")
        train(RECIPES[:-held_out], path)
        print("accuracy on all: %.2f" % serve(RECIPES, path))
