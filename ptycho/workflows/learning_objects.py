"""Objects of other kinds than lines, to ask whether what a network learnt holds for them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ptycho import diffsim

#: makes an object (size size) complex64
Make = Callable[[int, np.random.Generator], np.ndarray]

LINES = "lines"
#: functions of `skimage.data`, whose images come with its wheel
IMAGES = ("cell", "camera", "brick", "text", "moon", "coins", "grass", "gravel")


class MissingImages(ValueError):
    """scikit-image, which has the images, is not installed."""


def make(kind: str) -> Make:
    """How an object of a kind is made. Raises MissingImages."""
    if kind == LINES:
        return diffsim.lines_object
    image = load(kind)
    return lambda size, rng: from_image(image, size, rng)


def load(kind: str) -> np.ndarray:
    """A grey image (M L), within 0 and 1."""
    try:
        from skimage import data
    except ImportError as error:
        raise MissingImages(f"objects of the kind {kind!r} need scikit-image: pip install scikit-image") from error
    image = np.asarray(getattr(data, kind)(), float)
    return (image - image.min()) / (image.max() - image.min())


def from_image(image: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """A random part of an image, as an object of the range that lines have: amplitude 1 to 0.5, phase 0 to 1.2."""
    if min(image.shape) < size:
        raise ValueError(f"an image of {image.shape} pixels has no part of {size}")
    row, column = (int(rng.integers(length - size + 1)) for length in image.shape)
    part = image[row : row + size, column : column + size]
    return ((1 - 0.5 * part) * np.exp(1.2j * part)).astype(np.complex64)
