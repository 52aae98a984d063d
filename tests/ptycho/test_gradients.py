"""Gradients against finite differences, in float64."""

import numpy as np
import pytest

pytestmark = pytest.mark.slow
N = 16


def loss_of(kind):
    """Loss of object patches (1 N N 2) and probe (N N), complex128, against fixed data."""
    import tensorflow as tf

    from ptycho import losses, tf_helper

    rng = np.random.default_rng(0)
    counts = tf.constant(rng.poisson(20, (1, N, N, 2)).astype(float))

    def loss(obj, probe):
        amplitude = tf_helper.diffract(obj * probe[None, :, :, None])
        if kind == "poisson":
            return tf.reduce_mean(losses.poisson_deviance(counts, tf.square(3.0 * amplitude)))
        return tf.reduce_mean(losses.amplitude_mae(tf.sqrt(counts) / 3, amplitude))

    return loss


@pytest.mark.parametrize("kind", ["poisson", "mae"])
@pytest.mark.parametrize("which", ["object", "probe"])
def test_loss_by_object_and_by_probe(kind, which):
    import tensorflow as tf

    rng = np.random.default_rng(1)
    values = [rng.standard_normal((*shape, 2)) @ [1, 1j] for shape in ((1, N, N, 2), (N, N))]
    loss, at = loss_of(kind), {"object": 0, "probe": 1}[which]
    variables = [tf.constant(value) for value in values]
    with tf.GradientTape() as tape:
        tape.watch(variables)
        result = loss(*variables)
    gradient = tape.gradient(result, variables[at]).numpy()
    for _ in range(4):
        direction = rng.standard_normal((*values[at].shape, 2)) @ [1, 1j]
        sides = []
        for sign in (1, -1):
            moved = list(values)
            moved[at] = values[at] + sign * 1e-6 * direction
            sides.append(float(loss(*map(tf.constant, moved))))
        # TensorFlow's gradient of a real loss by z is d/dx + i d/dy
        assert np.vdot(gradient, direction).real == pytest.approx((sides[0] - sides[1]) / 2e-6, rel=1e-5)


@pytest.mark.parametrize("use_xla", [True, False])
def test_translation_by_image_and_by_offset(use_xla):
    import tensorflow as tf

    from ptycho import tf_helper

    rng = np.random.default_rng(2)
    values = [rng.standard_normal((3, 9, 11, 1)), rng.uniform(-3, 3, (3, 2))]
    weights = rng.standard_normal((3, 9, 11, 1))

    def loss(images, offsets):
        return tf.reduce_sum(weights * tf_helper.translate(images, offsets, use_xla=use_xla))

    variables = [tf.constant(value) for value in values]
    with tf.GradientTape() as tape:
        tape.watch(variables)
        result = loss(*variables)
    for at, gradient in enumerate(tape.gradient(result, variables)):
        direction = rng.standard_normal(values[at].shape)
        sides = []
        for sign in (1, -1):
            moved = list(values)
            moved[at] = values[at] + sign * 1e-6 * direction
            sides.append(float(loss(*map(tf.constant, moved))))
        found = float(np.vdot(gradient.numpy(), direction))
        assert found == pytest.approx((sides[0] - sides[1]) / 2e-6, rel=1e-6)
