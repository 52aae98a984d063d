"""Fresh parameters for every test, and small models."""

from __future__ import annotations

import numpy as np
import pytest

from ptycho import params


@pytest.fixture(autouse=True)
def fresh_params(monkeypatch):
    """`params.cfg` as at the start, with a tiny network and a short first estimate; no switches from outside."""
    saved = dict(params.cfg)
    params.cfg.clear()
    params.cfg.update(params.DEFAULTS, filters_scale=1 / 16, estimate_iterations=3)
    monkeypatch.setenv("PTYCHO_CACHE", "off")
    for name in ("USE_XLA_TRANSLATE", "USE_XLA_COMPILE", "PTYCHO_FAULT"):
        monkeypatch.delenv(name, raising=False)
    yield params.cfg
    params.cfg.clear()
    params.cfg.update(saved)


@pytest.fixture
def make_data():
    """Random data for the model: `make_data(B, gridsize, N)` -> PtychoDataContainer."""
    from ptycho.loader import PtychoDataContainer

    def make(B: int, gridsize: int = 2, N: int = 64, seed: int = 0) -> PtychoDataContainer:
        rng = np.random.default_rng(seed)
        C = gridsize**2
        params.set("gridsize", gridsize)
        params.set("N", N)
        return PtychoDataContainer(
            X=rng.random((B, N, N, C), np.float32),
            coords=rng.uniform(-3, 3, (B, 1, 2, C)).astype(np.float32),
            global_offsets=rng.uniform(0, 40, (B, 1, 2, 1)).astype(np.float32),
            intensity_scale=10.0,
        )

    return make
