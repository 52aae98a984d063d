import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(29)
UNITS = 10

src = keras.Input((None,), dtype="int32")
tgt = keras.Input((None,), dtype="int32")
enc = layers.Bidirectional(layers.LSTM(UNITS, return_state=True))
_, fh, fc, bh, bc = enc(layers.Embedding(20, 8, mask_zero=True)(src))
state = [layers.Concatenate()([fh, bh]), layers.Concatenate()([fc, bc])]
dec = layers.LSTM(2 * UNITS, return_sequences=True)
out = layers.Dense(15, activation="softmax")(dec(layers.Embedding(15, 8)(tgt), initial_state=state))
model = keras.Model([src, tgt], out)
model.compile("adam", "sparse_categorical_crossentropy")

rng = np.random.default_rng(29)
source = rng.integers(1, 20, (30, 9))
target = rng.integers(1, 15, (30, 8))
model.fit([source, target[:, :-1]], target[:, 1:], batch_size=12, epochs=1, verbose=0)
print(model.predict([source[:1, :5], target[:1, :3]], verbose=0).shape)
