import numpy as np
import pytest

from ptycho import diffsim
from ptycho.synchronisation import relative_phases


def scan(size=96, H=20, step=4):
    rng = np.random.default_rng(0)
    truth = diffsim.lines_object(size, rng)
    x, y = diffsim.raster_positions(size, H, step=step, jitter=1, rng=rng)
    return diffsim.extract_patches(truth, x, y, H), np.stack([x, y], axis=1), rng


def light(H):
    axis = np.arange(H) - (H - 1) / 2
    return np.exp(-(axis[:, None] ** 2 + axis[None, :] ** 2) / (H / 3) ** 2)


def spread(factors, turned):
    """Largest deviation, in radians, of `factors` from undoing `turned`, but for one constant."""
    left = factors * turned
    return np.abs(np.angle(left * np.conj(left.sum()))).max()


@pytest.mark.parametrize("H", [20, 7])
def test_constants_are_found(H):
    patches, offsets, rng = scan(H=H, step=H // 4)
    turned = np.exp(1j * rng.normal(0, 0.5, len(patches)))
    found = relative_phases(patches * turned[:, None, None], offsets, light(H))
    np.testing.assert_allclose(np.abs(found), 1, rtol=1e-5)
    assert spread(found, turned) < 0.1  # half a pixel of rounding
    assert spread(np.ones_like(found), turned) > 1


def test_a_drift_larger_than_a_patch_is_found():
    patches, offsets, _ = scan()
    turned = np.exp(0.02j * offsets[:, 0])
    assert spread(relative_phases(patches * turned[:, None, None], offsets, light(20)), turned) < 0.15


def test_images_that_meet_no_other_are_left_alone():
    rng = np.random.default_rng(0)
    images = np.exp(1j * rng.uniform(-3, 3, (3, 16, 16)))
    offsets = np.array([[0, 0], [100, 0], [0, 100.0]])
    np.testing.assert_allclose(relative_phases(images, offsets, light(16)), 1, atol=1e-6)
