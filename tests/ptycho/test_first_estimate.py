import numpy as np
import pytest

pytestmark = pytest.mark.slow


def amplitudes(N=32, K=4):
    from ptycho import diffsim, params, probe

    params.set("N", N)
    rng = np.random.default_rng(0)
    truth = diffsim.lines_object(96, rng)
    x, y = rng.uniform(30, 60, (2, K))
    patches = diffsim.extract_patches(truth, x, y, N)
    light = probe.get_default_probe(N)
    measured = np.sqrt(diffsim.diffract(patches, light))
    return patches, light, np.moveaxis(measured, 0, -1)[None].astype(np.float32)


def test_one_update_against_numpy():
    """Rodenburg & Faulkner 2004, eq. 5, with O = 1 and the shift written by hand."""
    from ptycho.first_estimate import FirstEstimateLayer

    _, light, measured = amplitudes()
    found = FirstEstimateLayer(light)(measured).numpy()
    assert found.shape == (1, 32, 32, 8)
    far = np.fft.fft2(light.astype(complex), norm="ortho")
    for c in range(4):
        modulus = np.fft.ifftshift(measured[0, ..., c])
        change = np.fft.ifft2(modulus * np.exp(1j * np.angle(far)), norm="ortho") - light
        expected = light.conj() * change / (np.abs(light) ** 2 + 0.05 * np.abs(light).max() ** 2)
        np.testing.assert_allclose(found[0, ..., c], expected.real, atol=2e-3)
        np.testing.assert_allclose(found[0, ..., 4 + c], expected.imag, atol=2e-3)


def test_an_empty_object_gives_an_empty_estimate():
    from ptycho import diffsim, probe
    from ptycho.first_estimate import FirstEstimateLayer

    light = probe.get_default_probe(32)
    measured = np.sqrt(diffsim.diffract(np.ones((1, 32, 32)), light))[..., None].astype(np.float32)
    assert np.abs(FirstEstimateLayer(light)(measured).numpy()).max() < 1e-2


def test_updates_bring_the_estimate_nearer_to_the_data():
    from ptycho import diffsim
    from ptycho.first_estimate import FirstEstimateLayer

    _, light, measured = amplitudes()
    errors = []
    for iterations in (1, 5):
        found = FirstEstimateLayer(light, iterations=iterations)(measured).numpy()[0]
        patches = np.moveaxis(1 + found[..., :4] + 1j * found[..., 4:], -1, 0)
        errors.append(np.abs(np.sqrt(diffsim.diffract(patches, light)) - np.moveaxis(measured[0], -1, 0)).mean())
    assert errors[1] < 0.5 * errors[0]
