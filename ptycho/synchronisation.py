"""The constant phases of overlapping reconstructions, brought into agreement with each other."""

from __future__ import annotations

import numpy as np

_TOLERANCE, _LIMIT = 1e-4, 1000  # radians by which a factor still moves; iterations


def relative_phases(images: np.ndarray, offsets: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Unit factors by which overlapping images agree best.

    The intensities of a far field do not change when the exit wave is multiplied by a constant phase, so each group is
    known up to a constant of its own, and a mean over groups would lose all structure that is larger than a group. The
    factors maximise the power of the weighted sum of all images (generalised power method: Boumal 2016, SIAM J. Optim.
    26, 2355). They depend only on the images and their positions. One phase of the whole stays free.

    Args:
        images: (K H H) complex.
        offsets: (K 2), (x, y) of their centres in pixels; taken to the nearest whole pixel here.
        weights: (H H), not negative, such as the intensity of the probe.

    Returns:
        (K) complex64 of modulus 1. An image that overlaps with no other keeps the factor 1.

    """
    placed = _placed(images * np.sqrt(weights), offsets)
    back = placed.conj().T.tocsr()
    factors = np.ones(len(images), np.complex64)
    for _ in range(_LIMIT):
        towards = back @ (placed @ factors)
        size = np.abs(towards)
        moved = np.where(size > 0, towards / np.maximum(size, 1e-30), 1).astype(np.complex64)
        done = np.abs(moved - factors).max(initial=0) < _TOLERANCE
        factors = moved
        if done:
            break
    return factors


def _placed(images: np.ndarray, offsets: np.ndarray):
    """Sparse (pixels of the whole, K): each image where it lies, at every fourth pixel along each axis.

    Constants are no matter of resolution; small images are taken whole.
    """
    from scipy.sparse import csr_matrix

    K, H = images.shape[:2]
    stride = min(4, max(1, H // 8))
    corners = np.rint(offsets - (H - 1) / 2).astype(np.int64)
    corners -= corners.min(axis=0)
    # the same pixels of the whole in every image: its multiples of the stride
    local = (-corners)[..., None] % stride + stride * np.arange(H // stride)  # (K 2 h), x and y
    columns, rows = np.moveaxis(corners[..., None] + local, 1, 0)
    width = int(columns.max()) + 1
    pixels = rows[:, :, None] * width + columns[:, None, :]
    values = images[np.arange(K)[:, None, None], local[:, 1, :, None], local[:, 0, None, :]]
    owners = np.broadcast_to(np.arange(K)[:, None, None], pixels.shape)
    shape = ((int(rows.max()) + 1) * width, K)
    return csr_matrix((values.ravel().astype(np.complex64), (pixels.ravel(), owners.ravel())), shape=shape)
