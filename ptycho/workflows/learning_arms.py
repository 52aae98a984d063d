"""The arms of the study of learning: each makes a function that reconstructs the scan of an object."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

import keras
import numpy as np

from ptycho import (
    diffsim,
    iterative,
    loader,
    losses,
    model,
    params,
    pretraining,
    probe,
    train_baseline,
    train_pinn,
    whole_object,
)
from ptycho.loader import PtychoDataContainer
from ptycho.raw_data import RawData
from ptycho.workflows import grid_lines_data as data
from ptycho.workflows import learning_objects, options
from ptycho.workflows.compare import common_region, cut, rectangle

#: pixels around the scan's positions that the network for whole objects sees besides
_MARGIN = 8
#: what the mixed training has besides lines; the test has none of them
MIXED = ("brick", "coins", "grass", "gravel", "moon", "text")


@dataclass(frozen=True)
class Part:
    """The scan of one object, some groups of it, and the patterns that are in them: indices (B C) into the scan."""

    scan: RawData
    groups: PtychoDataContainer
    indices: np.ndarray


@dataclass(frozen=True)
class Found:
    """A reconstruction (M L), (x, y) of its first pixel, and expected amplitudes (B N N C) if the arm has them."""

    stitched: np.ndarray
    origin: tuple[float, float]
    amplitudes: np.ndarray | None = None


Reconstruct = Callable[[Part], Found]


def make_parts(
    args: argparse.Namespace, count: int, purpose: int, ngroups: int, kind: str = learning_objects.LINES
) -> list[Part]:
    """Scans of new objects of a kind, with random groups of each."""
    parts = []
    scale = loader.scale_of_beam(args.photons, args.N)
    make = learning_objects.make(kind)
    for number, scan in enumerate(data.simulate(count, purpose, args.seed, args.N + 96, args.photons, make)):
        groups, indices = data.training_groups([scan], ngroups, args.seed + number, scale)
        parts.append(Part(scan, groups, indices[0]))
    return parts


def arm(name: str, args: argparse.Namespace, training: Sequence[Part]) -> Reconstruct:
    """Train as the arm says. The result does not look at the truth, unless the arm is the truth."""
    kind, _, number = name.partition("-")
    if kind == "truth":
        return stitch_truth
    if kind == "solver":
        return lambda part: Found(*solve(part, int(number), args.regularisation))
    if kind == "whole":
        return by_whole_network(args, mixed=number == "mixed")
    return by_groups(kind, int(number or args.estimate_iterations), args, training)


def stitch_truth(part: Part) -> Found:
    """The object from true patches, as if the network had made them."""
    patches = train_baseline.true_patches(part.scan, part.indices)
    stitched, _, origin = train_pinn.stitch(patches, part.groups)
    flat = np.moveaxis(patches, -1, 1).reshape(-1, *patches.shape[1:3])
    amplitudes = np.sqrt(diffsim.diffract(flat, probe.get_probe())).reshape(*patches.shape[:1], -1, *flat.shape[1:])
    return Found(stitched, origin, np.moveaxis(amplitudes, 1, -1))


def by_groups(kind: str, updates: int, args: argparse.Namespace, training: Sequence[Part]) -> Reconstruct:
    """The model of groups, untrained ("estimate"), taught known patches, or trained with patterns alone."""
    keras.utils.set_random_seed(args.seed)
    params.set("estimate_iterations", updates)
    params.set("network_input", "transforms" if kind == "bare" else args.network_input)
    groups = loader.concatenate([part.groups for part in training])
    params.set("intensity_scale", groups.intensity_scale)
    epochs = {"supervised": args.nepochs, "bare": args.bare_epochs}.get(kind, args.physics_epochs)
    steps = epochs * -(-len(groups) // params.get("batch_size"))
    autoencoder, _ = model.create_compiled_model(loss="poisson" if kind == "poisson" else "mae", steps=steps)
    if kind == "supervised":
        patches = np.concatenate([train_baseline.true_patches(part.scan, part.indices) for part in training])
        pretraining.pretrain(autoencoder, groups, patches, epochs, verbose=options.verbosity())
    elif kind != "estimate":
        model.train(epochs, groups, autoencoder, verbose=options.verbosity())

    def stitch(part: Part) -> Found:
        made = train_pinn.evaluate(autoencoder, part.groups)
        return Found(made.stitched, made.origin, made.amplitudes)

    return stitch


def solve(part: Part, sweeps: int, regularisation: float) -> tuple[np.ndarray, tuple[float, float]]:
    """The object by the iterative solver, from the patterns that are in the groups: each once, and no others."""
    own = np.unique(part.indices)
    amplitudes = np.sqrt(part.scan.diff3d[own]) / part.groups.intensity_scale
    positions = np.stack([part.scan.xcoords[own], part.scan.ycoords[own]], axis=1)
    states = iterative.solve(amplitudes, positions, probe.get_probe(), regularisation=regularisation)
    return next(islice(states, sweeps - 1, None))


def by_whole_network(args: argparse.Namespace, mixed: bool) -> Reconstruct:
    """A network for whole objects behind the solver, taught simulated objects: lines, or for one half other kinds."""
    keras.utils.set_random_seed(args.seed)
    kinds = [learning_objects.LINES, *(MIXED if mixed else ())]
    counts = [args.nobjects // 2, *[-(-args.nobjects // 2 // len(MIXED))] * len(MIXED)] if mixed else [args.nobjects]
    pairs = []
    for kind, count in zip(kinds, counts, strict=True):
        for part in make_parts(args, count, data.TRAINING, args.ntest, kind):
            stitched, origin = solve(part, args.sweeps, args.regularisation)
            pairs.append(common_region(stitched, origin, part.scan.objectGuess, part.scan, _MARGIN))
    network = whole_object.create_network(args.filters_scale)
    whole_object.train(network, *zip(*pairs, strict=True), steps=args.whole_steps, seed=args.seed)

    def refine(part: Part) -> Found:
        region = rectangle(part.scan, _MARGIN)
        seen = cut(*solve(part, args.sweeps, args.regularisation), region)
        return Found(whole_object.refine(network, seen), region[:2])

    return refine


def likelihoods(found: Found, part: Part) -> dict[str, float]:
    """How well expected patterns fit the measured ones: both losses, whichever one the arm was trained with."""
    if found.amplitudes is None:
        return {}
    expected = np.square(found.amplitudes * part.groups.intensity_scale).astype(np.float32)
    return {
        "poisson": float(np.mean(losses.poisson_deviance(part.groups.counts, expected))),
        "mae": float(np.mean(losses.amplitude_mae(part.groups.X, found.amplitudes.astype(np.float32)))),
    }
