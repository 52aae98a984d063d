import numpy as np
import pytest
from scipy import ndimage

from ptycho import metrics


def picture(side=80, seed=0):
    rng = np.random.default_rng(seed)
    a, b = (ndimage.gaussian_filter(rng.standard_normal((side, side)), 2) for _ in range(2))
    return (1 + a) * np.exp(1j * 5 * b)


def test_a_reconstruction_that_is_right_up_to_one_phase():
    truth = picture()
    for part in metrics.compare(truth * np.exp(2.5j), truth).values():
        assert part["ssim"] == pytest.approx(1)
        assert part["mae"] < 1e-12
        assert part["psnr"] > 200
        assert part["frc50"] == 0.5


def test_neither_a_ramp_nor_a_scale_is_taken_out():
    truth = picture()
    ramp = np.exp(1j * np.linspace(-1, 1, 80))[None, :]
    assert metrics.compare(truth * ramp, truth)["phase"]["mae"] == pytest.approx(0.5, abs=0.02)
    assert metrics.compare(truth * 1.5, truth)["amplitude"]["mae"] == pytest.approx(0.5 * np.abs(truth).mean())


def test_phase_errors_of_two_pi_are_none():
    flat = np.exp(1j * np.full((32, 32), np.pi - 1e-3))
    found = flat.copy()
    found[::2] *= np.exp(2e-3j)
    assert metrics.compare(found, flat)["phase"]["mae"] < 2e-3


def test_ssim_against_the_definition_at_one_pixel():
    """Wang et al. 2004, eq. 13, with the window written out."""
    rng = np.random.default_rng(1)
    a, b = rng.random((11, 11)), rng.random((11, 11))
    axis = np.exp(-np.square(np.arange(-5, 6)) / (2 * 1.5**2))
    window = np.outer(axis, axis) / axis.sum() ** 2
    mean_a, mean_b = (window * a).sum(), (window * b).sum()
    covariance = (window * a * b).sum() - mean_a * mean_b
    variances = (window * a * a).sum() - mean_a**2 + (window * b * b).sum() - mean_b**2
    c1, c2 = (0.01 * np.ptp(b)) ** 2, (0.03 * np.ptp(b)) ** 2
    expected = (2 * mean_a * mean_b + c1) * (2 * covariance + c2)
    expected /= (mean_a**2 + mean_b**2 + c1) * (variances + c2)
    assert metrics.ssim(a, b) == pytest.approx(expected)


def test_frc_finds_the_frequency_at_which_the_noise_begins():
    rng = np.random.default_rng(2)
    truth, noise = rng.standard_normal((2, 128, 128))
    frequency = np.hypot(*np.meshgrid(np.fft.fftfreq(128), np.fft.fftfreq(128)))
    mixed = np.fft.ifft2(np.where(frequency < 0.2, np.fft.fft2(truth), np.fft.fft2(noise))).real
    assert metrics.frc50(mixed, truth) == pytest.approx(0.2, abs=0.02)
    assert metrics.frc(truth, truth)[1:] == pytest.approx(1)


def test_psnr_and_mae():
    truth = np.array([[0.0, 2.0]])
    assert metrics.psnr(truth + 0.2, truth) == pytest.approx(20)
    assert metrics.mae(truth + 0.2, truth) == pytest.approx(0.2)
