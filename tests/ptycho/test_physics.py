import numpy as np
import pytest

pytestmark = pytest.mark.slow


def test_diffraction_is_unitary_and_centred():
    from ptycho import tf_helper

    rng = np.random.default_rng(0)
    waves = (rng.standard_normal((3, 32, 32, 4)) + 1j * rng.standard_normal((3, 32, 32, 4))).astype(np.complex64)
    expected = np.abs(np.fft.fftshift(np.fft.fft2(waves, axes=(1, 2), norm="ortho"), axes=(1, 2)))
    found = tf_helper.diffract(waves).numpy()
    np.testing.assert_allclose(found, expected, atol=1e-5)
    np.testing.assert_allclose((found**2).sum((1, 2)), (np.abs(waves) ** 2).sum((1, 2)), rtol=1e-5)


def test_network_physics_matches_the_simulation():
    """The layers after the network, given the true patches, predict the simulated amplitudes."""
    from ptycho import diffsim, probe
    from ptycho.custom_layers import PadAndDiffractLayer, ProbeIllumination

    rng = np.random.default_rng(0)
    truth = diffsim.lines_object(120, rng)
    x, y = diffsim.raster_positions(120, 64, step=12, jitter=1, rng=rng)
    patches = diffsim.extract_patches(truth, x, y, 64)
    light = probe.get_default_probe(64)
    found = PadAndDiffractLayer(64)(ProbeIllumination(light)(patches[..., None])).numpy()[..., 0]
    np.testing.assert_allclose(found**2, diffsim.diffract(patches, light), atol=2e-3, rtol=1e-4)


def test_photon_counts():
    from ptycho import diffsim

    counts = diffsim.detect(np.random.default_rng(0).random((50, 16, 16)), 1e4, np.random.default_rng(1))
    assert counts.sum((1, 2)).mean() == pytest.approx(1e4, rel=0.01)


def test_poisson_deviance_is_the_likelihood_up_to_a_constant():
    import tensorflow as tf

    from ptycho.losses import poisson_deviance

    rng = np.random.default_rng(0)
    counts = rng.poisson(3, (2, 4, 4, 3)).astype(np.float32)
    rates = tf.constant(rng.uniform(0.5, 5, counts.shape).astype(np.float32))
    with tf.GradientTape() as tape:
        tape.watch(rates)
        loss = poisson_deviance(counts, rates)
    assert loss.shape == (2, 4, 4)
    np.testing.assert_allclose(tape.gradient(loss, rates), (1 - counts / rates) / 3, atol=1e-5)
    np.testing.assert_allclose(poisson_deviance(counts, tf.constant(counts)), 0, atol=1e-5)


def test_probe_and_data_share_their_scale():
    from ptycho import loader, probe

    counts = np.random.default_rng(0).poisson(7, (5, 64, 64, 4)).astype(np.float32)
    data = loader.load(
        {
            "diffraction": counts,
            "coords_start_relative": np.zeros((5, 1, 2, 4)),
            "coords_offsets": np.zeros((5, 1, 2, 1)),
        }
    )
    assert (data.X**2).sum((1, 2)).mean() == pytest.approx(32**2, rel=1e-4)
    assert (np.abs(probe.get_default_probe(64)) ** 2).sum() == pytest.approx(32**2, rel=1e-4)
    np.testing.assert_allclose(data.counts, counts, rtol=1e-4)
    with pytest.raises(ValueError, match="no photons"):
        loader.measure_intensity_scale(counts * 0)
