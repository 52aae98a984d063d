"""The iterative solver, without TensorFlow."""

from itertools import islice

import numpy as np

from ptycho import diffsim, iterative, probe


def scan(N=32):
    """Amplitudes (K N N), positions (K 2), the probe, and the true object; no noise."""
    rng = np.random.default_rng(0)
    truth = diffsim.lines_object(72, rng)
    x, y = diffsim.raster_positions(len(truth), N, step=4, jitter=1, rng=rng)
    light = probe.get_default_probe(N)
    measured = np.sqrt(diffsim.diffract(diffsim.extract_patches(truth, x, y, N), light))
    return measured, np.stack([x, y], axis=1), light, truth


def error(found, origin, truth):
    """Root of the mean square distance from the truth, in the middle, one phase aside."""
    x, y = (round(value) for value in origin)
    region = slice(28, 44)
    part, true = found[28 - y : 44 - y, 28 - x : 44 - x], truth[region, region]
    part = part * np.exp(-1j * np.angle(np.vdot(true, part)))
    return np.sqrt(np.mean(np.abs(part - true) ** 2))


def test_sweeps_come_nearer_to_the_object_and_settle():
    measured, positions, light, truth = scan()
    states = [(found.copy(), origin) for found, origin in islice(iterative.solve(measured, positions, light), 40)]
    errors = [error(*state, truth) for state in states]
    assert errors[19] < 0.3 * errors[0]
    assert errors[39] < 0.03  # interpolation differs: bilinear there, by Fourier ramps here
    moved = [np.abs(states[k][0] - states[k - 1][0]).mean() for k in (2, 39)]
    assert moved[1] < 0.1 * moved[0]


def test_an_empty_object_stays_empty():
    _, positions, light, _ = scan()
    empty = np.sqrt(diffsim.diffract(np.ones((len(positions), 32, 32)), light))
    positions = np.rint(positions - 0.5) + 0.5  # whole pixels: the probe is not interpolated
    found, _ = next(iterative.solve(empty, positions, light))
    np.testing.assert_allclose(found, 1, atol=1e-3)
