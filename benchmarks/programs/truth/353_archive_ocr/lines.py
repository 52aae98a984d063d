"""Synthetic text lines of an archive: rows of glyph columns of varying width."""
import numpy as np

GLYPHS = 7
HEIGHT = 8


def draw(n, seed):
    rng = np.random.default_rng(seed)
    font = (rng.random((GLYPHS, HEIGHT, 4)) > 0.5).astype("float32")
    images, texts = [], []
    for _ in range(n):
        text = rng.integers(0, GLYPHS, size=rng.integers(3, 7))
        images.append(np.concatenate([font[g] for g in text], axis=1))
        texts.append(text)
    width = max(i.shape[1] for i in images)
    x = np.zeros((n, width, HEIGHT), "float32")
    for row, img in zip(x, images):
        row[: img.shape[1]] = img.T
    longest = max(map(len, texts))
    y = np.full((n, longest), -1, "int32")
    for row, t in zip(y, texts):
        row[: len(t)] = t
    return x, y, np.array([i.shape[1] for i in images]), np.array([len(t) for t in texts])
