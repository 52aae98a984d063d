import numpy as np
import keras
from keras import layers, ops

keras.utils.set_random_seed(19)


def sinusoid_table(length, depth):
    pos = np.arange(length)[:, None]
    i = np.arange(depth)[None, :]
    angle = pos / np.power(10000.0, (2 * (i // 2)) / depth)
    angle[:, 0::2] = np.sin(angle[:, 0::2])
    angle[:, 1::2] = np.cos(angle[:, 1::2])
    return angle.astype("float32")


class TokenAndPosition(layers.Layer):
    def __init__(self, vocab, depth, length, **kw):
        super().__init__(**kw)
        self.tokens = layers.Embedding(vocab, depth)
        self.scale = depth ** 0.5
        self.table = sinusoid_table(depth, length)

    def call(self, ids):
        x = self.tokens(ids) * self.scale
        return x + ops.convert_to_tensor(self.table)


def encoder_block(x, heads, ff):
    a = layers.MultiHeadAttention(heads, x.shape[-1] // heads)(x, x)
    x = layers.LayerNormalization()(x + a)
    f = layers.Dense(x.shape[-1])(layers.Dense(ff, activation="gelu")(x))
    return layers.LayerNormalization()(x + f)


ids = keras.Input((25,), dtype="int32", name="smiles")
h = TokenAndPosition(vocab=40, depth=16, length=25)(ids)
h = encoder_block(h, heads=2, ff=32)
solubility = layers.Dense(1)(layers.GlobalAveragePooling1D()(h))
net = keras.Model(ids, solubility)

rng = np.random.default_rng(19)
mols = rng.integers(0, 40, (48, 25))
logs = rng.normal(size=(48, 1)).astype("float32")
net.compile("adam", "mae")
net.fit(mols, logs, epochs=1, verbose=0)
print(net.predict(mols[:2], verbose=0))
