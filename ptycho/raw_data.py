"""A scan as it is measured, positions and diffraction patterns, and its division into groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from ptycho import diffsim, params


@dataclass(frozen=True)
class RawData:
    """A scan of K positions.

    Attributes:
        xcoords: (K) centres of the patterns along x, pixels of the object.
        ycoords: (K) the same along y.
        diff3d: (K N N) photon counts.
        probeGuess: (N N) complex.
        objectGuess: the true object if it is known (simulation), never shown to the network.
        beam_photons: photons that the empty beam would put into one pattern, if they were measured; they give the
            object's amplitude its absolute scale.

    """

    xcoords: np.ndarray
    ycoords: np.ndarray
    diff3d: np.ndarray
    probeGuess: np.ndarray
    objectGuess: np.ndarray | None = None
    beam_photons: float | None = None

    def __post_init__(self) -> None:
        K = len(self.xcoords)
        if self.xcoords.shape != (K,) or self.ycoords.shape != (K,):
            raise ValueError(f"xcoords {self.xcoords.shape} and ycoords {self.ycoords.shape} must be (K,) alike")
        if self.diff3d.ndim != 3 or self.diff3d.shape[0] != K or self.diff3d.shape[1] != self.diff3d.shape[2]:
            raise ValueError(f"diff3d is {self.diff3d.shape}, expected ({K}, N, N)")

    @classmethod
    def from_simulation(
        cls,
        xcoords: np.ndarray,
        ycoords: np.ndarray,
        probeGuess: np.ndarray,
        objectGuess: np.ndarray,
        nphotons: float | None,
        rng: np.random.Generator,
        beam_photons: float | None = None,
    ) -> RawData:
        """Measure an object (see `ptycho.diffsim`).

        The dose is `nphotons` photons per pattern on average, or, where that is None, `beam_photons` in the empty beam.
        """
        patches = diffsim.extract_patches(objectGuess, xcoords, ycoords, probeGuess.shape[0])
        intensities = diffsim.diffract(patches, probeGuess)
        beam = float(np.sum(np.abs(probeGuess) ** 2))
        mean = float(intensities.sum(axis=(1, 2)).mean())
        if nphotons is None:
            if beam_photons is None:
                raise ValueError("a dose is needed: nphotons or beam_photons")
            nphotons = beam_photons * mean / beam
        counts = diffsim.detect(intensities, nphotons, rng)
        return cls(xcoords, ycoords, counts, probeGuess, objectGuess, beam_photons=nphotons * beam / mean)

    def generate_grouped_data(
        self, nsamples: int, gridsize: int | None = None, K: int = 7, seed: int | None = None
    ) -> dict[str, np.ndarray]:
        """Draw groups of neighbouring patterns.

        Each group is a random pattern and gridsize**2 - 1 of its nearest neighbours, drawn among the K
        nearest (or as many as are needed), sorted by y, then x. Patterns are only drawn twice if there are
        fewer than `nsamples`.

        Args:
            nsamples: number of groups B.
            gridsize: C is its square; `params.cfg['gridsize']` by default.
            K: number of nearest neighbours to draw from.
            seed: of the random draw.

        Returns:
            `diffraction` (B N N C) counts; `coords_offsets` (B 1 2 1), (x, y) of each group's centre;
            `coords_start_relative` and `coords_relative` (B 1 2 C), (x, y) of each pattern from its group's
            centre; `nn_indices` (B C), indices into the scan.

        """
        gridsize = params.get("gridsize") if gridsize is None else gridsize
        channels = gridsize**2
        total = len(self.xcoords)
        if total < channels:
            raise ValueError(f"{total} patterns are too few for groups of {channels} (gridsize {gridsize})")
        rng = np.random.default_rng(seed)
        points = np.stack([self.xcoords, self.ycoords], axis=1)
        seeds = rng.choice(total, nsamples, replace=nsamples > total)
        indices = _draw_neighbours(points, seeds, channels, K, rng)
        grouped = points[indices]  # (B C 2)
        centres = grouped.mean(axis=1, keepdims=True)
        relative = np.transpose(grouped - centres, [0, 2, 1])[:, None].astype(np.float32)
        return {
            "diffraction": np.transpose(self.diff3d[indices], [0, 2, 3, 1]),
            "coords_offsets": np.transpose(centres, [0, 2, 1])[:, None].astype(np.float32),
            "coords_start_relative": relative,
            "coords_relative": relative,
            "nn_indices": indices,
        }


def _draw_neighbours(
    points: np.ndarray, seeds: np.ndarray, channels: int, K: int, rng: np.random.Generator
) -> np.ndarray:
    """For each seed, itself and `channels - 1` of its nearest neighbours: indices (B C), sorted by y, x."""
    if channels == 1:
        return seeds[:, None]
    wanted = min(max(K, channels - 1) + 1, len(points))
    _, near = cKDTree(points).query(points[seeds], k=wanted)
    indices = np.empty((len(seeds), channels), int)
    for row, (own, candidates) in enumerate(zip(seeds, near, strict=True)):
        others = rng.choice(candidates[candidates != own], channels - 1, replace=False)
        group = np.append(others, own)
        indices[row] = group[np.lexsort((points[group, 0], points[group, 1]))]
    return indices
