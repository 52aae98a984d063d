import numpy as np
import pytest

from ptycho import diffsim
from ptycho.raw_data import RawData


def scan(n=200):
    rng = np.random.default_rng(0)
    return RawData(rng.uniform(0, 60, n), rng.uniform(0, 60, n), rng.random((n, 8, 8)), np.ones((8, 8), complex))


@pytest.mark.parametrize("gridsize", [1, 2, 3])
def test_groups(gridsize):
    raw = scan()
    groups = raw.generate_grouped_data(50, gridsize=gridsize, seed=1)
    C = gridsize**2
    assert groups["diffraction"].shape == (50, 8, 8, C)
    assert groups["coords_start_relative"].shape == (50, 1, 2, C)
    assert groups["coords_offsets"].shape == (50, 1, 2, 1)
    absolute = groups["coords_start_relative"] + groups["coords_offsets"]
    indices = groups["nn_indices"]
    np.testing.assert_allclose(absolute[:, 0, 0], raw.xcoords[indices], atol=1e-4)
    np.testing.assert_allclose(absolute[:, 0, 1], raw.ycoords[indices], atol=1e-4)
    np.testing.assert_array_equal(groups["diffraction"][3, ..., -1], raw.diff3d[indices[3, -1]])
    assert all(len(set(row)) == C for row in indices)
    np.testing.assert_allclose(groups["coords_start_relative"].mean(-1), 0, atol=1e-4)


def test_draw_is_reproducible():
    same = [scan().generate_grouped_data(20, gridsize=2, seed=5)["nn_indices"] for _ in range(2)]
    np.testing.assert_array_equal(*same)


def test_misshapen_scans_are_refused():
    with pytest.raises(ValueError, match="diff3d is"):
        RawData(np.zeros(3), np.zeros(3), np.zeros((4, 8, 8)), np.ones((8, 8)))
    with pytest.raises(ValueError, match="ycoords"):
        RawData(np.zeros(3), np.zeros(2), np.zeros((3, 8, 8)), np.ones((8, 8)))
    with pytest.raises(ValueError, match="too few for groups of 9"):
        scan(5).generate_grouped_data(2, gridsize=3)


def test_positions_off_the_object_are_refused():
    with pytest.raises(ValueError, match="over the edge"):
        diffsim.extract_patches(np.ones((40, 40)), np.array([10.0]), np.array([20.0]), 32)
    with pytest.raises(ValueError, match="no room"):
        diffsim.raster_positions(60, 64, 4, 1, np.random.default_rng(0))
