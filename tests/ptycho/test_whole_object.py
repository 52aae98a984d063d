"""The network for whole objects, and the objects of other kinds."""

import numpy as np
import pytest

from ptycho import diffsim, params


def noisy(truth, rng):
    return truth + 0.1 * (rng.normal(size=truth.shape) + 1j * rng.normal(size=truth.shape))


@pytest.mark.slow
def test_the_network_returns_its_input_and_learns_to_remove_noise():
    import keras

    from ptycho import metrics, whole_object

    keras.utils.set_random_seed(0)
    params.cfg.update(batch_size=4, learning_rate=4e-3)
    rng = np.random.default_rng(0)
    truths = [diffsim.lines_object(80, rng) for _ in range(3)]
    solved = [noisy(truth, rng) * np.exp(2j) for truth in truths]  # one phase of the whole is free
    network = whole_object.create_network(0.25)
    test = noisy(diffsim.lines_object(77, rng), rng)
    before = whole_object.refine(network, test)
    assert before.shape == test.shape
    np.testing.assert_allclose(metrics.align_phase(before, test), test, atol=1e-5)
    losses = whole_object.train(network, solved, truths, steps=60)
    assert np.mean(losses[-5:]) < 0.7 * np.mean(losses[:5])


def test_a_part_of_an_image_has_the_range_of_lines():
    from ptycho.workflows import learning_objects

    image = np.linspace(0, 1, 50 * 40).reshape(50, 40)
    made = learning_objects.from_image(image, 40, np.random.default_rng(0))
    assert made.shape == (40, 40)
    assert 0.5 <= np.abs(made).min() <= np.abs(made).max() <= 1
    assert 0 <= np.angle(made).min() <= np.angle(made).max() <= 1.2 + 1e-6
    with pytest.raises(ValueError, match="no part of 41"):
        learning_objects.from_image(image, 41, np.random.default_rng(0))


@pytest.mark.parametrize("kind", ["cell", "camera"])
def test_images_come_with_scikit_image(kind):
    from ptycho.workflows import learning_objects

    image = learning_objects.load(kind)
    assert image.ndim == 2
    assert (image.min(), image.max()) == (0, 1)
