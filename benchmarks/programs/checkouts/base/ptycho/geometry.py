"""Scan positions, groups of neighbours and their offsets (rows, columns)."""

import numpy as np

from . import params


def raster_positions(rng):
    """Positions of the beam centre, shape (raster, raster, 2), jittered."""
    n = params.get("raster")
    step = params.get("step")
    edge = params.canvas_side() / 2 + params.get("jitter") + step
    axis = edge + step * np.arange(n)
    yy, xx = np.meshgrid(axis, axis, indexing="ij")
    pos = np.stack([yy, xx], axis=-1)
    return pos + rng.uniform(-1, 1, pos.shape) * params.get("jitter")


def object_side():
    n = params.get("raster")
    edge = params.canvas_side() / 2 + params.get("jitter") + params.get("step")
    return int(np.ceil(2 * edge + params.get("step") * (n - 1))) + 1


def group_indices():
    """Raster indices of the members of every group, shape (groups, members)."""
    n, g = params.get("raster"), params.get("grid")
    index = np.arange(n * n).reshape(n, n)
    windows = np.lib.stride_tricks.sliding_window_view(index, (g, g))
    return windows.reshape(-1, g * g)


def group_offsets(positions, index):
    """Centres (groups, 2) and offsets from them (groups, 2, members).

    The axis of components comes before the axis of members, as in the files
    of the beamline.
    """
    pos = positions.reshape(-1, 2)[index]
    centres = np.round(pos.mean(axis=1))
    offsets = pos - centres[:, None, :]
    return centres, np.transpose(offsets, (0, 2, 1)).astype("float32")
