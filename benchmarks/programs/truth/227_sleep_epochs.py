import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import keras
from keras import layers, ops

SECONDS_PER_EPOCH = 30
FEATURES = 8


class EpochPooling(layers.Layer):
    """(nights * seconds, features) -> (nights * epochs, 3 * features)"""

    def call(self, x):
        e = ops.reshape(x, (-1, SECONDS_PER_EPOCH, x.shape[-1]))
        return ops.concatenate([ops.mean(e, axis=1), ops.max(e, axis=1), ops.std(e, axis=1)], axis=-1)


def night(minutes, seed):
    r = np.random.default_rng(seed)
    stage = np.repeat(r.integers(0, 4, 2 * minutes), SECONDS_PER_EPOCH)
    eeg = r.normal(0, 1 + 0.6 * stage[:, None], (len(stage), FEATURES))
    return eeg.astype("float32"), stage[::SECONDS_PER_EPOCH]


def batches(n_nights):
    for k in range(n_nights):
        yield night(20, k)


per_second = keras.Input((FEATURES,))
hidden = layers.Dense(16, activation="gelu")(per_second)
epochs = EpochPooling()(hidden)
scores = layers.Dense(4, activation="softmax")(layers.Dropout(0.2)(epochs))
stager = keras.Model(per_second, scores)

optimizer = keras.optimizers.Adam(2e-3)
stager.compile(optimizer, "sparse_categorical_crossentropy", jit_compile=True)
for sweep in range(3):
    losses = [stager.train_on_batch(x, y) for x, y in batches(12)]
    print("sweep", sweep, "loss", round(float(np.mean(losses)), 4))

signal, truth = night(20, 500)
prediction = stager.predict(signal, batch_size=600, verbose=0)
print("seconds in:", len(signal), "epochs out:", len(prediction))
assert prediction.shape == (len(signal) // SECONDS_PER_EPOCH, 4)
print("agreement", (prediction.argmax(axis=1) == truth).mean().round(2))
