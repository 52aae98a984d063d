"""Grouped data in the form that the network takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ptycho import params


@dataclass(frozen=True)
class PtychoDataContainer:
    """Groups ready for training or inference.

    Attributes:
        X: (B N N C) float32 normalised amplitudes, `sqrt(counts) / intensity_scale`.
        coords: (B 1 2 C) float32, (x, y) of each pattern, in pixels from its group's centre.
        global_offsets: (B 1 2 1) float32, (x, y) of each group's centre.
        intensity_scale: sqrt(counts) per unit of X.

    """

    X: np.ndarray
    coords: np.ndarray
    global_offsets: np.ndarray
    intensity_scale: float

    def __len__(self) -> int:
        """Number of groups B."""
        return len(self.X)

    @property
    def coords_nominal(self) -> np.ndarray:
        """The positions that the network is given, `coords`."""
        return self.coords

    @property
    def counts(self) -> np.ndarray:
        """(B N N C) photon counts, as measured."""
        return np.square(self.X * self.intensity_scale)


def measure_intensity_scale(counts: np.ndarray) -> float:
    """The scale at which the mean pattern of `counts` (B N N C) has a power of (N/2)**2, like the probe."""
    mean_photons = counts.sum(axis=(1, 2)).mean()
    if not mean_photons > 0:
        raise ValueError("the diffraction patterns hold no photons")
    return float(np.sqrt(mean_photons) / (counts.shape[1] / 2))


def scale_of_beam(beam_photons: float, N: int) -> float:
    """The scale at which the empty beam has a power of (N/2)**2, exactly as the probe: amplitudes are then absolute."""
    return float(np.sqrt(beam_photons) / (N / 2))


def concatenate(parts: Sequence[PtychoDataContainer]) -> PtychoDataContainer:
    """One data set from several of the same scale. Raises ValueError if the scales differ."""
    scales = {part.intensity_scale for part in parts}
    if len(scales) != 1:
        raise ValueError(f"data of different intensity scales cannot be one set: {sorted(scales)}")
    arrays = ("X", "coords", "global_offsets")
    return PtychoDataContainer(
        **{name: np.concatenate([getattr(part, name) for part in parts]) for name in arrays},
        intensity_scale=scales.pop(),
    )


def load(grouped: dict[str, np.ndarray], intensity_scale: float | None = None) -> PtychoDataContainer:
    """Normalise grouped data (of `RawData.generate_grouped_data`).

    Args:
        grouped: the groups.
        intensity_scale: that of the training data, for test data. None measures it and puts it into
            `params.cfg`.

    """
    counts = grouped["diffraction"]
    if intensity_scale is None:
        intensity_scale = measure_intensity_scale(counts)
        params.set("intensity_scale", intensity_scale)
    return PtychoDataContainer(
        X=(np.sqrt(counts) / intensity_scale).astype(np.float32),
        coords=grouped["coords_start_relative"].astype(np.float32),
        global_offsets=grouped["coords_offsets"].astype(np.float32),
        intensity_scale=intensity_scale,
    )
