from typing import Iterator, Tuple

import numpy as np

Window = Tuple[int, int, int, int]


def windows(height, width, tile, stride=None) -> Iterator[Window]:
    stride = stride or tile
    for r in range(0, height - tile + 1, stride):
        for c in range(0, width - tile + 1, stride):
            yield r, c, tile, tile


def cut(scene, tile, stride=None):
    """All tiles of a scene, channels last, and their masks."""
    wins = list(windows(*scene.shape[1:], tile, stride))
    x = np.stack([scene.read(w) for w in wins])
    y = np.stack([scene.read_mask(w) for w in wins])
    return np.moveaxis(x, 0, -1), y[..., None], wins


def scale(x):
    return (x.astype("float32") / 10000.0 - 0.2) / 0.2


def mosaic(tiles, wins, height, width):
    total = np.zeros((height, width))
    count = np.zeros((height, width))
    for t, (r, c, h, w) in zip(tiles, wins):
        total[r:r + h, c:c + w] += t[..., 0]
        count[r:r + h, c:c + w] += 1
    return total / np.maximum(count, 1)
