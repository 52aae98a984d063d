import numpy as np
import pytest
from scipy import ndimage

pytestmark = pytest.mark.slow


def slow_sum(patches, positions, P):
    """Every patch put by SciPy at its place in its own group's canvas."""
    B, N, _, C = patches.shape
    before = (P - N) // 2
    canvas = np.zeros((B, P, P))
    for b in range(B):
        for c in range(C):
            padded = np.zeros((P, P))
            padded[before : before + N, before : before + N] = patches[b, ..., c]
            x, y = positions[b, 0, :, c]
            canvas[b] += ndimage.shift(padded, (y, x), order=1, mode="grid-constant")
    return canvas


@pytest.mark.parametrize("use_xla", [True, False])
@pytest.mark.parametrize("gridsize", [1, 2, 3])
def test_sum_against_a_slow_loop(gridsize, use_xla):
    from ptycho import params, tf_helper

    params.set("use_xla_translate", use_xla)
    rng = np.random.default_rng(gridsize)
    patches = rng.random((17, 16, 16, gridsize**2), np.float32)  # 17 groups: more than 64 patches
    positions = rng.uniform(-5, 5, (17, 1, 2, gridsize**2)).astype(np.float32)
    found = tf_helper.mk_reassemble_position_batched_real(positions, padded_size=30)(patches).numpy()
    assert found.shape == (17, 30, 30, 1)
    np.testing.assert_allclose(found[..., 0], slow_sum(patches, positions, 30), atol=1e-5)


def test_layers_undo_each_other():
    """Patches cut from objects, merged and cut again are the same patches where they are covered."""
    from ptycho.custom_layers import ExtractPatchesPositionLayer, ReassemblePatchesLayer

    rng = np.random.default_rng(0)
    objects = ndimage.gaussian_filter(rng.random((5, 30, 30)), (0, 3, 3))[..., None].astype(np.complex64)
    positions = np.round(rng.uniform(-4, 4, (5, 1, 2, 4))).astype(np.float32)
    extract = ExtractPatchesPositionLayer(N=16, gridsize=2)
    patches = extract([objects, positions])
    assert patches.shape == (5, 16, 16, 4)
    merged = ReassemblePatchesLayer(padded_size=30)([patches, positions])
    assert merged.shape == (5, 30, 30, 1)
    np.testing.assert_allclose(extract([merged, positions]), patches, rtol=2e-3)


def test_extraction_reads_at_the_position():
    from ptycho.custom_layers import ExtractPatchesPositionLayer

    objects = np.random.default_rng(0).random((2, 30, 30, 1)).astype(np.complex64)
    positions = np.zeros((2, 1, 2, 1), np.float32)
    positions[1, 0, :, 0] = 3, -2  # x, y
    patches = ExtractPatchesPositionLayer(N=16, gridsize=1)([objects, positions]).numpy()
    np.testing.assert_array_equal(patches[0, ..., 0], objects[0, 7:23, 7:23, 0])
    np.testing.assert_array_equal(patches[1, ..., 0], objects[1, 5:21, 10:26, 0])


def test_whole_object_is_stitched_at_its_place():
    from ptycho import diffsim, tf_helper

    rng = np.random.default_rng(0)
    truth = ndimage.gaussian_filter(rng.random((90, 90)), 4).astype(np.complex64)
    x, y = diffsim.raster_positions(90, 32, step=8, jitter=2, rng=rng)
    patches = diffsim.extract_patches(truth, x, y, 32)[..., None]
    offsets = np.stack([x, y], axis=1)[:, None, :, None]
    for central in (None, 20):
        found, coverage, (x0, y0) = tf_helper.reassemble_position(patches, offsets, central=central)
        inside = np.zeros(coverage.shape, bool)
        inside[12:-12, 12:-12] = True
        grid = np.meshgrid(y0 + np.arange(found.shape[0]), x0 + np.arange(found.shape[1]), indexing="ij")
        expected = ndimage.map_coordinates(truth.real, grid, order=1)
        np.testing.assert_allclose(found.numpy().real[inside], expected[inside], atol=0.01)
        assert coverage.numpy()[inside].min() >= 1
