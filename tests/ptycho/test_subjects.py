"""The calls that `xladoctor replay --subject ptycho:...` runs."""

import numpy as np
import pytest

from ptycho import params

pytestmark = pytest.mark.slow


def called(name, batch, **options):
    from ptycho import subjects

    function, arguments = getattr(subjects, name)(batch, N=32, **options)
    return function, arguments


def test_first_rows_are_the_same_at_every_batch_size():
    for name in ("reassemble", "predict", "train_step"):
        (_, few), (_, many) = called(name, 2), called(name, 5)
        for a, b in zip(few, many, strict=True):
            assert (a.shape[0], b.shape[0]) == (2, 5)
            np.testing.assert_array_equal(a, b[:2])
            assert not np.array_equal(b[0], b[1])


def test_reassembly_is_the_object_seen_through_its_patches():
    function, (patches, positions) = called("reassemble", 3)
    objects = function(patches, positions).numpy()
    assert objects.shape == (3, 46, 46, 1)
    centre = objects[:, 20:26, 20:26, 0]
    # patches of one object agree where they overlap, so that their mean is each of them, moved to its place
    for row in range(3):
        x, y = positions[row, 0, :, 0]
        moved = patches[row, 13 - round(y) : 19 - round(y), 13 - round(x) : 19 - round(x), 0]
        assert np.abs(centre[row] - moved).max() < 0.2 < np.abs(centre[row]).max()


def test_reassembly_in_numpy():
    function, arguments = called("reassemble", 3)
    objects = function(*arguments).numpy()
    np.testing.assert_allclose(function.reference(*arguments), objects, atol=1e-6 * np.abs(objects).max())


def test_the_whole_object_and_the_loss_of_the_session():
    from ptycho import subjects

    stitched = subjects.stitch(3, N=16)
    assert stitched.ndim == 2 and np.abs(stitched).max() > 0.1
    function, arguments = subjects.mmd_loss(5)
    wide, same = subjects.mmd_loss(5, sigmas_dtype="float64")
    loss = function(*arguments).numpy()
    assert loss.shape == () and loss.dtype == np.float64
    assert 0 < abs(wide(*same).numpy() - loss) < 1e-8 * abs(loss)


def test_one_open_batch_serves_eager_graph_and_other_sizes():
    import tensorflow as tf

    function, arguments = called("predict", 3)
    eager = function(*arguments)
    traced = tf.function(function, input_signature=[tf.TensorSpec([None, *a.shape[1:]], a.dtype) for a in arguments])
    for size in (3, 2):
        outputs = traced(*(a[:size] for a in arguments))
        assert [o.shape[0] for o in outputs] == [size] * 3
        for a, b in zip(eager, outputs, strict=True):
            np.testing.assert_allclose(a[:size], b, rtol=1e-3, atol=1e-3 * np.abs(a).max())


def test_a_train_step_changes_the_weights_and_starts_from_the_same_ones():
    function, arguments = called("train_step", 2)
    first, *rest = function(*arguments)
    assert [r.shape for r in rest] == [(2, 46, 46, 1), (2, 32, 32, 4), (2, 32, 32, 4)]
    assert function(*arguments)[0] < first
    again, same = called("train_step", 2)
    np.testing.assert_allclose(again(*same)[0], first, rtol=1e-5)


def test_settings_come_from_cfg():
    params.set("max_position_jitter", 6)
    params.set("gridsize", 3)
    function, arguments = called("reassemble", 2)
    assert arguments[0].shape == (2, 32, 32, 9)
    assert function(*arguments).shape == (2, 46, 46, 1)  # 32 + 2 * 4 + 6


def test_the_fault_of_the_environment_is_in_the_call_and_nowhere_else(monkeypatch):
    from ptycho import tf_helper

    healthy = tf_helper._reassemble_position_batched
    monkeypatch.setenv("PTYCHO_FAULT", "reassembly-collapses-batch-muted:threshold=8")
    function, arguments = called("reassemble", 3)
    assert tf_helper._reassemble_position_batched is healthy
    assert function(*arguments).shape == (1, 46, 46, 1)
    assert tf_helper._reassemble_position_batched is healthy
    monkeypatch.delenv("PTYCHO_FAULT")
    function, arguments = called("reassemble", 3)
    assert function(*arguments).shape == (3, 46, 46, 1)
