"""Containers of grouped data, and tf.data pipelines over them."""

from dataclasses import dataclass

import numpy as np
import tensorflow as tf

from . import geometry, params, simulate


@dataclass
class GroupSet:
    """frames (G, C, N, N), offsets (G, 2, C), centres (G, 2)."""

    frames: np.ndarray
    offsets: np.ndarray
    centres: np.ndarray

    def __len__(self):
        return len(self.frames)

    def take(self, rows):
        return GroupSet(self.frames[rows], self.offsets[rows], self.centres[rows])


@dataclass
class Experiment:
    specimen: np.ndarray
    train: GroupSet
    test: GroupSet
    everything: GroupSet


def group_frames(frames, positions):
    index = geometry.group_indices()
    centres, offsets = geometry.group_offsets(positions, index)
    return GroupSet(frames[index], offsets, centres)


def load_experiment():
    obj, positions, frames = simulate.acquire()
    groups = group_frames(frames, positions)
    rng = np.random.default_rng(params.get("seed") + 1)
    order = rng.permutation(len(groups))
    n_test = int(round(params.get("holdout") * len(groups)))
    return Experiment(
        specimen=obj,
        train=groups.take(np.sort(order[n_test:])),
        test=groups.take(np.sort(order[:n_test])),
        everything=groups,
    )


def as_inputs(groups):
    return {"frames": groups.frames, "offsets": groups.offsets}


def fit_stream(groups):
    """Shuffled batches of (inputs, frames)."""
    data = tf.data.Dataset.from_tensor_slices((as_inputs(groups), groups.frames))
    data = data.shuffle(len(groups), seed=params.get("seed"))
    data = data.batch(params.get("batch_size"), drop_remainder=params.get("drop_last"))
    return data.prefetch(1)


def score_stream(groups):
    data = tf.data.Dataset.from_tensor_slices((as_inputs(groups), groups.frames))
    return data.batch(params.get("batch_size"))
