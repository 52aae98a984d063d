"""The probe: the coherent illumination, (N N) complex64, held in `params.cfg['probe']`."""

from __future__ import annotations

import numpy as np

from ptycho import params


def get_default_probe(N: int | None = None, width: float = 0.18, curvature: float = 2.0) -> np.ndarray:
    """A slightly defocused Gaussian spot.

    Args:
        N: side in pixels, `params.cfg['N']` by default.
        width: standard deviation of the amplitude as a fraction of N.
        curvature: phase in radians at one standard deviation from the centre.

    Returns:
        (N N) complex64 with `sum |probe|**2 == (N/2)**2`, see `normalise`.

    """
    N = params.get("N") if N is None else N
    axis = (np.arange(N) - (N - 1) / 2) / (width * N)
    r2 = axis[:, None] ** 2 + axis[None, :] ** 2
    return normalise(np.exp(-r2 / 2 + 1j * curvature * r2))


def normalise(probe: np.ndarray) -> np.ndarray:
    """Scale a probe so that its squares add up to (N/2)**2: amplitudes of patterns are then about 1."""
    power = np.sum(np.abs(probe) ** 2)
    if not np.isfinite(power) or power == 0:
        raise ValueError("a probe must be finite and not zero everywhere")
    return (probe * (probe.shape[0] / 2) / np.sqrt(power)).astype(np.complex64)


def set_probe_guess(probe: np.ndarray | None = None) -> np.ndarray:
    """Put a probe (N N), normalised, into `params.cfg`; None puts the default one. Returns it."""
    if probe is None:
        probe = get_default_probe()
    probe = np.squeeze(np.asarray(probe))
    if probe.shape != (params.get("N"), params.get("N")):
        raise ValueError(f"the probe is {probe.shape}, but N = {params.get('N')}")
    params.set("probe", normalise(probe))
    return params.get("probe")


def get_probe() -> np.ndarray:
    """The probe in use (N N) complex64: the one that was set if it fits N, else the default."""
    probe = params.get("probe")
    if probe is None or probe.shape[0] != params.get("N"):
        return get_default_probe()
    return probe
