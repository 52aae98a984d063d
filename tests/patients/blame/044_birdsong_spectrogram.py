import numpy as np
import tensorflow as tf
import keras
from keras import layers

keras.utils.set_random_seed(73)
SAMPLES, FRAME, HOP = 2048, 128, 32
N_FRAMES = SAMPLES // HOP
N_BINS = FRAME // 2 + 1


def birdsong(n):
    rng = np.random.default_rng(73)
    t = np.arange(SAMPLES) / SAMPLES
    species = rng.integers(0, 3, n)
    freq = 60 + 100 * species + rng.normal(0, 5, n)
    return np.sin(2 * np.pi * freq[:, None] * t[None]).astype("float32"), species


def log_spectrogram(waves):
    stft = tf.signal.stft(waves, frame_length=FRAME, frame_step=HOP)
    return tf.math.log(tf.abs(stft) + 1e-6)


def model_for(frames, bins):
    spec = keras.Input((frames, bins), name="spectrogram")
    x = layers.Normalization(axis=None, mean=-4.0, variance=9.0)(spec)
    x = layers.Conv1D(16, 3, activation="relu")(x)
    x = layers.MaxPooling1D(3)(x)
    x = layers.Flatten()(x)
    return keras.Model(spec, layers.Dense(3, activation="softmax")(x))


waves, species = birdsong(24)
specs = log_spectrogram(waves)
clf = model_for(N_FRAMES, N_BINS)
clf.compile("adam", "sparse_categorical_crossentropy")
clf.fit(specs, species, epochs=1, batch_size=8, verbose=0)
print(clf.evaluate(specs, species, verbose=0))
