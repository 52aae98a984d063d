import numpy as np
import pytest

pytestmark = pytest.mark.slow

POSITIONS = np.float32([[-2, 1, 2.5, -1.5], [1, -2, 0, 1]])[None, None]  # (1 1 2 4), of mean 0.375 and 0


def measurement(N=32, positions=POSITIONS):
    """True patches (C N N) at the positions, the probe, measured amplitudes (1 N N C)."""
    from ptycho import diffsim, params, probe

    params.set("N", N)
    truth = diffsim.lines_object(96, np.random.default_rng(0))
    x, y = 45 + positions[0, 0].astype(float)
    patches = diffsim.extract_patches(truth, x, y, N)
    light = probe.get_default_probe(N)
    measured = np.sqrt(diffsim.diffract(patches, light))
    return patches, light, np.moveaxis(measured, 0, -1)[None].astype(np.float32)


def test_one_update_against_numpy():
    """Rodenburg & Faulkner 2004, eq. 5, with O = 1; whole pixels, so that the probes are moved by `np.roll`."""
    from ptycho.first_estimate import FirstEstimateLayer

    positions = np.float32([[-2, 1, 3, -2], [1, -2, 0, 1]])[None, None]
    _, light, measured = measurement(positions=positions)
    found = FirstEstimateLayer(light, iterations=1)([measured, positions]).numpy()
    assert found.shape == (1, 32, 32, 8)
    moves = positions[0, 0].T.astype(int)
    probes = [np.roll(light.astype(complex), (y, x), axis=(0, 1)) for x, y in moves]
    intensity = sum(np.abs(each) ** 2 for each in probes)
    change = 0
    for c, each in enumerate(probes):
        far = np.fft.fft2(each, norm="ortho")
        modulus = np.fft.ifftshift(measured[0, ..., c].astype(float))
        wave = np.fft.ifft2(far * np.sqrt((modulus**2 + 0.02**2) / (np.abs(far) ** 2 + 0.02**2)), norm="ortho")
        change = change + each.conj() * (wave - each) / (intensity + 0.1 * intensity.max())
    for c, (x, y) in enumerate(moves):
        expected = np.roll(change, (-y, -x), axis=(0, 1))
        np.testing.assert_allclose(found[0, ..., c], expected.real, atol=1e-5)
        np.testing.assert_allclose(found[0, ..., 4 + c], expected.imag, atol=1e-5)


def test_an_empty_object_gives_an_empty_estimate():
    from ptycho import diffsim, probe
    from ptycho.first_estimate import FirstEstimateLayer

    light = probe.get_default_probe(32)
    measured = np.sqrt(diffsim.diffract(np.ones((4, 32, 32)), light))
    measured = np.moveaxis(measured, 0, -1)[None].astype(np.float32)
    assert np.abs(FirstEstimateLayer(light)([measured, POSITIONS]).numpy()).max() < 1e-2


def test_more_updates_bring_the_estimate_nearer_to_the_object():
    from ptycho.first_estimate import FirstEstimateLayer

    patches, light, measured = measurement()
    weights = np.abs(light) ** 2
    errors = []
    for iterations in (1, 20, 60):
        found = FirstEstimateLayer(light, iterations=iterations)([measured, POSITIONS]).numpy()[0]
        estimate = np.moveaxis(1 + found[..., :4] + 1j * found[..., 4:], -1, 0)
        estimate = estimate * np.exp(-1j * np.angle(np.sum(weights * estimate * patches.conj())))
        errors.append(np.sqrt(np.sum(weights * np.abs(estimate - patches) ** 2) / weights.sum() / 4))
    assert errors[1] < 0.6 * errors[0]
    assert errors[2] < 0.8 * errors[1]


def test_a_network_that_says_nothing_leaves_the_estimate():
    from ptycho.first_estimate import RefineLayer

    rng = np.random.default_rng(0)
    estimate = 0.8 * np.exp(1j * rng.uniform(-3, 3, (2, 8, 8, 4)))
    views = np.concatenate([estimate.real - 1, estimate.imag], axis=-1).astype(np.float32)
    nothing = np.zeros((2, 8, 8, 4), np.float32)
    amplitude, phase = RefineLayer()([views, nothing, nothing])
    np.testing.assert_allclose(amplitude.numpy() * np.exp(1j * phase.numpy()), estimate, atol=1e-5)
    amplitude, _ = RefineLayer()([views, nothing + 50, nothing])
    assert amplitude.numpy().max() <= 1.2 + 1e-5


def test_residuals_are_the_next_change_by_each_pattern():
    import tensorflow as tf

    from ptycho.first_estimate import FirstEstimateLayer

    positions = np.zeros((1, 1, 2, 4), np.float32)
    _, light, measured = measurement()
    plain = FirstEstimateLayer(light, iterations=1)
    layer = FirstEstimateLayer(light, iterations=1, residuals=True)
    with_residuals = layer([measured, positions]).numpy()
    assert with_residuals.shape == (1, 32, 32, 16)
    np.testing.assert_allclose(with_residuals[..., :8], plain([measured, positions]), atol=1e-6)
    empty = tf.zeros((1, 1, 32, 32), tf.complex64)
    changes = layer.result(empty, measured, layer.ramps(positions)).numpy()[..., 8:] / 10
    first = plain([measured, positions]).numpy()
    np.testing.assert_allclose(changes[..., :4].sum(-1), first[..., 0], atol=1e-5)  # nothing is moved here
    np.testing.assert_allclose(changes[..., 4:].sum(-1), first[..., 4], atol=1e-5)


def test_a_layer_saved_before_residuals_loads():
    from ptycho.first_estimate import FirstEstimateLayer

    config = FirstEstimateLayer(np.ones((8, 8), complex)).get_config()
    del config["residuals"]
    assert FirstEstimateLayer.from_config(config).residuals is False
