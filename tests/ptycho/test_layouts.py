import numpy as np
import pytest

pytestmark = pytest.mark.slow


def test_channel_to_flat_and_back():
    from ptycho import tf_helper

    x = np.random.default_rng(0).random((3, 8, 8, 4), np.float32)
    flat = tf_helper._channel_to_flat(x).numpy()
    assert flat.shape == (12, 8, 8, 1)
    np.testing.assert_array_equal(flat[1 * 4 + 2, ..., 0], x[1, ..., 2])
    np.testing.assert_array_equal(tf_helper._flat_to_channel(flat, 4), x)


def test_flatten_offsets():
    from ptycho import tf_helper

    offsets = np.random.default_rng(0).random((3, 1, 2, 4), np.float32)
    flat = tf_helper.flatten_offsets(offsets).numpy()
    assert flat.shape == (12, 2)
    np.testing.assert_array_equal(flat[2 * 4 + 1], offsets[2, 0, :, 1])


@pytest.mark.parametrize("size", [78, 79])
def test_pad_and_crop(size):
    from ptycho import params, tf_helper

    x = np.random.default_rng(0).random((2, 64, 64, 1), np.float32)
    padded = tf_helper.pad_patches(x, size)
    assert padded.shape == (2, size, size, 1)
    np.testing.assert_array_equal(tf_helper.crop_center(padded, 64), x)
    assert padded.numpy().sum() == pytest.approx(x.sum(), rel=1e-5)
    params.set("gridsize", 2)
    assert tf_helper.pad_patches(x).shape == (2, 78, 78, 1)


@pytest.mark.parametrize(
    ("env", "setting", "expected"),
    [("", True, True), ("", False, False), ("0", True, False), ("1", False, True), ("No", True, False)],
)
def test_should_use_xla(monkeypatch, env, setting, expected):
    from ptycho import params, tf_helper

    monkeypatch.setenv("USE_XLA_TRANSLATE", env)
    params.set("use_xla_translate", setting)
    assert tf_helper.should_use_xla() is expected


def test_should_use_xla_refuses_nonsense(monkeypatch):
    from ptycho import tf_helper

    monkeypatch.setenv("USE_XLA_TRANSLATE", "maybe")
    with pytest.raises(ValueError, match="USE_XLA_TRANSLATE='maybe'"):
        tf_helper.should_use_xla()
