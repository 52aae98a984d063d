"""Denoise spectra; keep the model in ./models and read it back."""
from pathlib import Path

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(21)
OUT = Path("models")
OUT.mkdir(exist_ok=True)


def spectra(n, width=128):
    rng = np.random.default_rng(n)
    grid = np.arange(width)
    lines = np.zeros((n, width))
    for _ in range(4):
        c = rng.uniform(10, width - 10, (n, 1))
        lines += rng.uniform(0.3, 1, (n, 1)) * np.exp(-0.5 * ((grid - c) / 2.5) ** 2)
    return (lines + rng.normal(0, 0.1, lines.shape)).astype("float32")[..., None], lines.astype("float32")[..., None]


noisy, clean = spectra(300)

model = tf.keras.Sequential(
    [
        layers.Input((128, 1)),
        layers.Conv1D(12, 7, padding="same", strides=2, activation="relu"),
        layers.Conv1D(24, 7, padding="same", strides=2, activation="relu"),
        layers.Conv1DTranspose(12, 7, padding="same", strides=2, activation="relu"),
        layers.Conv1DTranspose(1, 7, padding="same", strides=2),
    ]
)
model.compile("adam", "mae")
model.fit(noisy, clean, batch_size=64, epochs=3, validation_split=0.15, verbose=0)
model.save(OUT / "denoiser.keras")
np.save(OUT / "example.npy", noisy[0])

again = tf.keras.models.load_model(OUT / "denoiser.keras")
before = model.predict(noisy[:20], batch_size=7, verbose=0)
after = again.predict(noisy[:20], batch_size=7, verbose=0)
print("reloaded model agrees:", np.allclose(before, after, atol=1e-5), "| shape", after.shape)
