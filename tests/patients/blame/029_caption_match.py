import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(41)
DIM = 32


def text_tokens(length=12, vocab=60):
    ids = keras.Input((length,), dtype="int32", name="caption")
    return ids, layers.Embedding(vocab, DIM)(ids)


def image_tokens(size=24, patch=8):
    image = keras.Input((size, size, 3), name="image")
    grid = layers.Conv2D(DIM, patch, strides=patch)(image)
    return image, layers.Reshape((-1, DIM))(grid)


caption, words = text_tokens()
image, patches = image_tokens()
joint = layers.Concatenate()([words, patches])
joint = layers.MultiHeadAttention(2, DIM // 2)(joint, joint)
pooled = layers.GlobalAveragePooling1D()(joint)
match = layers.Dense(1, activation="sigmoid")(pooled)
model = keras.Model([caption, image], match)

rng = np.random.default_rng(41)
data = [rng.integers(0, 60, (30, 12)), rng.random((30, 24, 24, 3)).astype("float32")]
model.compile("adam", "binary_crossentropy")
model.fit(data, rng.integers(0, 2, (30, 1)), epochs=1, batch_size=10, verbose=0)
