import numpy as np
import pytest
from scipy import ndimage

pytestmark = pytest.mark.slow

PATHS = (True, False)  # compiled warp, plain operations


def images(K=5, H=17, W=23, seed=0):
    return np.random.default_rng(seed).standard_normal((K, H, W, 1)).astype(np.float32)


def shifts(K=5, size=6.0, seed=1):
    return np.random.default_rng(seed).uniform(-size, size, (K, 2)).astype(np.float32)


@pytest.mark.parametrize("use_xla", PATHS)
@pytest.mark.parametrize("size", [3.0, 40.0])  # within the image, and far beyond it
def test_translation_against_scipy(use_xla, size):
    from ptycho import tf_helper

    x, t = images(), shifts(size=size)
    moved = tf_helper.translate(x, t, use_xla=use_xla).numpy()
    for k, (dx, dy) in enumerate(t):
        expected = ndimage.shift(x[k, ..., 0].astype(float), (dy, dx), order=1, mode="grid-constant")
        np.testing.assert_allclose(moved[k, ..., 0], expected, atol=1e-5)


@pytest.mark.parametrize("use_xla", PATHS)
def test_whole_pixels_are_exact_and_positive_is_right_and_down(use_xla):
    from ptycho import tf_helper

    x = images(K=3)
    moved = tf_helper.translate(x, np.float32([[2, 0], [0, 3], [0, 0]]), use_xla=use_xla).numpy()
    np.testing.assert_array_equal(moved[0, :, 2:], x[0, :, :-2])
    assert not moved[0, :, :2].any()
    np.testing.assert_array_equal(moved[1, 3:], x[1, :-3])
    assert not moved[1, :3].any()
    np.testing.assert_array_equal(moved[2], x[2])


def test_paths_agree_in_values_and_gradients():
    import tensorflow as tf

    from ptycho import tf_helper

    x, t, weights = map(tf.constant, (images(), shifts(), images(seed=2)))
    found = []
    for use_xla in PATHS:
        with tf.GradientTape() as tape:
            tape.watch([x, t])
            moved = tf_helper.translate(x, t, use_xla=use_xla)
            loss = tf.reduce_sum(moved * weights)
        found.append([moved, *tape.gradient(loss, [x, t])])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-5 * np.abs(b).max())


@pytest.mark.parametrize("use_xla", PATHS)
def test_complex_images_move_like_their_parts(use_xla):
    from ptycho import tf_helper

    x = images() + 1j * images(seed=3)
    moved = tf_helper.translate(x.astype(np.complex64), shifts(), use_xla=use_xla).numpy()
    np.testing.assert_array_equal(moved.imag, tf_helper.translate(images(seed=3), shifts(), use_xla=use_xla))


def test_gather_bhw():
    from ptycho.projective_warp_xla import _gather_bhw

    x = images(K=2, H=4, W=5)
    rows = np.int32([[0, 1, 2, 3], [-5, 0, 3, 9]])
    columns = np.int32([[4, 3, 2, 1, 0], [-1, 0, 2, 4, 5]])
    found = _gather_bhw(x, rows, columns).numpy()
    assert found.shape == x.shape
    for k in range(2):
        np.testing.assert_array_equal(
            found[k], x[k][np.clip(rows[k], 0, 3)[:, None], np.clip(columns[k], 0, 4)[None, :]]
        )
