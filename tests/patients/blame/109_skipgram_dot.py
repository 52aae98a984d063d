import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(131)
VOCAB, DIM, WINDOW = 50, 12, 5


def pairs(n):
    rng = np.random.default_rng(131)
    target = rng.integers(0, VOCAB, (n, 1))
    context = (target + rng.integers(-3, 4, (n, WINDOW))) % VOCAB
    label = np.zeros((n, WINDOW), "float32")
    label[:, 0] = 1.0
    return target, context, label


target = keras.Input((1,), dtype="int32", name="target")
context = keras.Input((WINDOW,), dtype="int32", name="context")
target_vec = layers.Embedding(VOCAB, DIM, name="in_vectors")(target)
context_vec = layers.Embedding(VOCAB, DIM, name="out_vectors")(context)
scores = layers.Dot(axes=1)([target_vec, context_vec])
out = layers.Activation("sigmoid")(layers.Reshape((WINDOW,))(scores))

word2vec = keras.Model([target, context], out)
word2vec.compile("adam", "binary_crossentropy")
t, c, y = pairs(120)
word2vec.fit([t, c], y, epochs=1, batch_size=30, verbose=0)
print(word2vec.get_layer("in_vectors").get_weights()[0].shape)
