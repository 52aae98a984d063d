"""Collect log spectrograms of short clips into one batch."""
import numpy as np
import tensorflow as tf

RATE = 8000
CLIP_SECONDS = {"yes": 0.50, "no": 0.50, "stop": 0.45, "go": 0.50}


def tone(label, freq):
    t = np.arange(int(RATE * CLIP_SECONDS[label])) / RATE
    return np.sin(2 * np.pi * freq * t).astype("float32")


def log_spectrogram(wave, frame=256, step=128):
    stft = tf.signal.stft(wave, frame, step)
    return tf.math.log(tf.abs(stft) + 1e-3)


def collect(labels):
    spectrograms, ids = [], []
    for i, label in enumerate(labels):
        wave = tone(label, 300 + 120 * i)
        spectrograms.append(log_spectrogram(wave))
        ids.append(i)
    return tf.stack(spectrograms), tf.constant(ids)


if __name__ == "__main__":
    batch, ids = collect(list(CLIP_SECONDS))
    mean = tf.reduce_mean(batch, axis=[1, 2])
    for i, m in zip(ids.numpy(), mean.numpy()):
        print(f"class {i}: mean level {m:.3f}")
