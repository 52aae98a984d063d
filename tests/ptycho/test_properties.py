"""For any batch size, gridsize and N: rows in are rows out, and a row depends neither on its batch nor on its place."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ptycho import params

pytestmark = pytest.mark.slow


def physics(patches, positions, N, gridsize):
    """From patches to amplitudes, as in the model; NumPy arrays (B P P 1) and (B N N C)."""
    from ptycho.custom_layers import (
        ExtractPatchesPositionLayer,
        PadAndDiffractLayer,
        ProbeIllumination,
        ReassemblePatchesLayer,
    )
    from ptycho.probe import get_default_probe

    objects = ReassemblePatchesLayer()([patches, positions])
    seen = ExtractPatchesPositionLayer(N=N, gridsize=gridsize)([objects, positions])
    return objects.numpy(), PadAndDiffractLayer(N)(ProbeIllumination(get_default_probe(N))(seen)).numpy()


@settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    B=st.integers(1, 70),
    gridsize=st.integers(1, 3),
    N=st.sampled_from((32, 64, 128)),
    use_xla=st.booleans(),
    seed=st.integers(0, 99),
)
def test_rows(B, gridsize, N, use_xla, seed):
    params.cfg.update(N=N, gridsize=gridsize, use_xla_translate=use_xla)
    rng = np.random.default_rng(seed)
    shape = (B, N, N, gridsize**2)
    patches = (rng.random(shape, np.float32) + 1j * rng.random(shape, np.float32)).astype(np.complex64)
    positions = rng.uniform(-6, 6, (B, 1, 2, gridsize**2)).astype(np.float32)

    whole = physics(patches, positions, N, gridsize)
    assert [len(rows) for rows in whole] == [B, B]
    order = rng.permutation(B)
    for rows, mixed in zip(whole, physics(patches[order], positions[order], N, gridsize), strict=True):
        np.testing.assert_allclose(mixed, rows[order], atol=1e-5)
    some = slice(seed % B, seed % B + 3)
    for rows, part in zip(whole, physics(patches[some], positions[some], N, gridsize), strict=True):
        np.testing.assert_allclose(part, rows[some], atol=1e-5)
