import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(9)
GENRES = ("rock", "jazz", "folk", "metal", "blues", "pop")


def mel_clips(n=60, frames=40, mels=16):
    rng = np.random.default_rng(9)
    genre = rng.integers(0, len(GENRES), n)
    clips = rng.normal(size=(n, frames, mels)) + genre[:, None, None] * 0.1
    return clips.astype("float32"), genre.astype("int64")


def build(frames, mels):
    clip = keras.Input((frames, mels))
    x = layers.Conv1D(16, 5, activation="relu")(clip)
    x = layers.MaxPooling1D(2)(x)
    x = layers.Conv1D(24, 5, activation="relu")(x)
    x = layers.GlobalMaxPooling1D()(x)
    x = layers.Dropout(0.4)(x)
    return keras.Model(clip, layers.Dense(len(GENRES), activation="softmax")(x))


clips, genre = mel_clips()
net = build(*clips.shape[1:])
net.compile(
    optimizer=keras.optimizers.AdamW(1e-3),
    loss=keras.losses.SparseCategoricalCrossentropy(),
    metrics=[keras.metrics.F1Score(average="macro", name="f1")],
)
log = keras.callbacks.History()
net.fit(clips, genre, epochs=2, batch_size=15, callbacks=[log], verbose=0)
print({k: round(v[-1], 3) for k, v in log.history.items()})
