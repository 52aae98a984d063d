import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

RATE = 2000
CLIP = RATE  # one second
WORDS = ["up", "down", "left", "right"]

rs = np.random.RandomState(21)


def synth(word):
    seconds = rs.uniform(0.6, 1.4)
    t = np.arange(int(seconds * RATE)) / RATE
    return (np.sin(2 * np.pi * (200 + 120 * word) * t) + 0.1 * rs.randn(len(t))).astype("float32")


recordings = []
for _ in range(40):
    w = rs.randint(len(WORDS))
    recordings.append((synth(w), w))


def fix_length(wave):
    wave = wave / np.abs(wave).max()
    return wave[:CLIP]


def clips():
    for wave, w in recordings:
        yield fix_length(wave), w


def to_spectrogram(wave, w):
    spec = tf.abs(tf.signal.stft(wave, frame_length=128, frame_step=64))
    return tf.math.log(spec + 1e-3)[..., tf.newaxis], w


ds = tf.data.Dataset.from_generator(
    clips,
    output_signature=(tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32)),
)
ds = ds.map(to_spectrogram).batch(8).prefetch(1)

model = tf.keras.Sequential([
    tf.keras.layers.Conv2D(8, 3, activation="relu"),
    tf.keras.layers.MaxPooling2D(),
    tf.keras.layers.Conv2D(8, 3, activation="relu"),
    tf.keras.layers.GlobalMaxPooling2D(),
    tf.keras.layers.Dense(len(WORDS), activation="softmax"),
])
model.compile("adam", "sparse_categorical_crossentropy")
model.build((None, None, None, 1))

for i in range(2):
    logs = model.fit(ds, epochs=1, verbose=0).history
    print(i, logs)
