import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(29)
UNITS = 12
DECODER_UNITS = UNITS
SRC_VOCAB, TGT_VOCAB, SRC_LEN, TGT_LEN = 30, 25, 9, 7


def encoder(src):
    x = layers.Embedding(SRC_VOCAB, 10, mask_zero=True)(src)
    rnn = layers.Bidirectional(layers.LSTM(UNITS, return_state=True), name="encoder")
    _, fh, fc, bh, bc = rnn(x)
    return [layers.Concatenate()([fh, bh]), layers.Concatenate()([fc, bc])]


def decoder(tgt, state):
    x = layers.Embedding(TGT_VOCAB, 10)(tgt)
    rnn = layers.LSTM(DECODER_UNITS, return_sequences=True, name="decoder")
    x = rnn(x, initial_state=state)
    return layers.Dense(TGT_VOCAB, activation="softmax")(x)


src = keras.Input((SRC_LEN,), dtype="int32", name="source")
tgt = keras.Input((TGT_LEN,), dtype="int32", name="target_in")
model = keras.Model([src, tgt], decoder(tgt, encoder(src)))
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")

rng = np.random.default_rng(29)
source = rng.integers(1, SRC_VOCAB, (40, SRC_LEN))
target = rng.integers(1, TGT_VOCAB, (40, TGT_LEN + 1))
model.fit([source, target[:, :-1]], target[:, 1:], batch_size=20, epochs=1, verbose=0)
print("loss", model.evaluate([source, target[:, :-1]], target[:, 1:], verbose=0))
