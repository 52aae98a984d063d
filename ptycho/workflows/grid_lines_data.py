"""The data of the grid-lines study: objects, scans, and groups."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ptycho import diffsim, loader, params, probe
from ptycho.data_file import DataFileError
from ptycho.loader import PtychoDataContainer
from ptycho.raw_data import RawData
from ptycho.workflows.learning_objects import Make

#: what a random stream is for: no object of the test is one of the training, whatever the seed
TRAINING, TEST, GROUPS = range(3)


def simulate(
    count: int, purpose: int, seed: int, size: int, photons: float, make: Make = diffsim.lines_object
) -> list[RawData]:
    """Scans of `count` new objects under the default probe: a raster with the step `params.cfg["offset"]`.

    Positions deviate from the raster by up to a quarter of the step along each axis.

    Args:
        count: number of objects.
        purpose: TRAINING or TEST.
        seed: the same numbers give the same scans.
        size: side of an object, pixels.
        photons: in the empty beam.
        make: makes an object of that size; one of lines by default.

    """
    scans = []
    step = params.get("offset")
    for number in range(count):
        rng = np.random.default_rng([seed, purpose, number])
        truth = make(size, rng)
        x, y = diffsim.raster_positions(size, params.get("N"), step=step, jitter=step / 4, rng=rng)
        light = probe.get_probe()
        scans.append(RawData.from_simulation(x, y, light, truth, None, rng, beam_photons=photons))
    return scans


def check_files(train: Sequence[RawData], test: Sequence[RawData]) -> None:
    """Raises DataFileError unless scans read from files fit the study: same N, training objects known."""
    N = params.get("N")
    for scan in (*train, *test):
        if scan.diff3d.shape[1] != N:
            raise DataFileError(f"array 'diffraction' has patterns of {scan.diff3d.shape[1]} pixels, but --N is {N}")
    for scan in train:
        if scan.objectGuess is None:
            raise DataFileError("array 'objectGuess' of the training data is needed by the supervised baseline")


def intensity_scale(scans: Sequence[RawData]) -> float:
    """From the empty beam where it was measured, so that amplitudes are absolute; else from the mean pattern."""
    beam = [scan.beam_photons for scan in scans]
    if all(beam):
        return loader.scale_of_beam(float(np.mean(beam)), params.get("N"))
    return loader.measure_intensity_scale(np.concatenate([scan.diff3d for scan in scans])[..., None])


def training_groups(
    scans: Sequence[RawData], ngroups: int, seed: int, scale: float
) -> tuple[PtychoDataContainer, list[np.ndarray]]:
    """`ngroups` random groups of each scan, and the patterns that are in them, (ngroups C) of each scan."""
    drawn = [
        scan.generate_grouped_data(ngroups, seed=int(np.random.default_rng([seed, GROUPS, number]).integers(2**31)))
        for number, scan in enumerate(scans)
    ]
    data = loader.concatenate([loader.load(groups, scale) for groups in drawn])
    return data, [groups["nn_indices"] for groups in drawn]


def test_groups(scan: RawData, seed: int, scale: float) -> PtychoDataContainer:
    """One group around every pattern of a scan."""
    return loader.load(scan.generate_grouped_data(len(scan.xcoords), seed=seed), scale)
