"""Faults that raise nothing: what they make of the numbers, and where they make nothing of them."""

import re

import numpy as np
import pytest

from ptycho import faults, params

pytestmark = pytest.mark.slow


def deviation(a, b):
    """Root mean square of the difference, relative to that of b."""
    return float(np.linalg.norm(np.asarray(a) - np.asarray(b)) / np.linalg.norm(b))


def smooth(B, N=32, seed=0):
    """Smooth patches (B N N 4), and positions (B 1 2 4) like those of a 2x2 group with steps of 4 pixels."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:N, :N] / N
    a, b = rng.uniform(2, 6, (2, B, 1, 1, 4))
    patches = 1 + 0.3 * np.sin(a * x[..., None] + b * y[..., None])
    nominal = np.array([[-2, 2, -2, 2], [-2, -2, 2, 2]], float)
    return patches.astype(np.complex64), (nominal + rng.uniform(-1, 1, (B, 2, 4)))[:, None].astype(np.float32)


def reassembled(patches, positions):
    """Objects (B P P 1), by the layer as it is now."""
    from ptycho.custom_layers import ReassemblePatchesLayer

    params.cfg.update(N=patches.shape[1], gridsize=round(patches.shape[-1] ** 0.5))
    return ReassemblePatchesLayer()([patches, positions]).numpy()


def compiled_warps(function, *inputs):
    """How many explicitly jit-compiled functions the graph of a function holds."""
    import tensorflow as tf

    graph = tf.function(function).get_concrete_function(*inputs).graph.as_graph_def()
    return sum(f.attr["_XlaMustCompile"].b for f in graph.library.function)


# --- negated-offsets --------------------------------------------------------------------------------------


def test_negated_offsets(monkeypatch):
    from ptycho import tf_helper

    patches, positions = smooth(6)
    images, moves = patches[..., :1].real, positions[:, 0, :, 0]
    right = {xla: tf_helper.translate(images, moves, use_xla=xla) for xla in (True, False)}
    assert deviation(right[True], right[False]) < 1e-5
    with faults.applied("negated-offsets"):
        np.testing.assert_array_equal(tf_helper.translate(images, moves, use_xla=True), right[True])
        faulty = tf_helper.translate(images, moves, use_xla=False)
        assert deviation(faulty, right[False]) > 0.1
        np.testing.assert_array_equal(tf_helper.translate(images, -moves, use_xla=False), right[False])
        nothing = tf_helper.translate(images, 0 * moves, use_xla=False)
    np.testing.assert_array_equal(nothing, images)

    with faults.applied("negated-offsets"):
        compiled = reassembled(patches, positions)
        monkeypatch.setenv("USE_XLA_TRANSLATE", "0")
        assert deviation(reassembled(patches, positions), compiled) > 0.1


# --- modular-pairing --------------------------------------------------------------------------------------


def test_modular_pairing():
    from ptycho import tf_helper

    offsets = np.arange(3 * 2 * 4, dtype=np.float32).reshape(3, 1, 2, 4)  # x of (b, c) is 8 b + c
    right = tf_helper.flatten_offsets(offsets).numpy()
    with faults.applied("modular-pairing"):
        faulty = tf_helper.flatten_offsets(offsets).numpy()
        assert right[:, 0].tolist() == [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19]
        assert faulty[:, 0].tolist() == [0, 8, 16, 1, 9, 17, 2, 10, 18, 3, 11, 19]
        assert (faulty[:, 1] == faulty[:, 0] + 4).all()
        for same in (offsets[:1], offsets[..., :1]):  # one group; one patch in a group
            np.testing.assert_array_equal(
                tf_helper.flatten_offsets(same), np.transpose(same[:, 0], [0, 2, 1]).reshape(-1, 2)
            )


def test_modular_pairing_makes_a_row_depend_on_its_batch():
    patches, positions = smooth(6)
    right = reassembled(patches, positions)
    with faults.applied("modular-pairing"):
        together = reassembled(patches, positions)
        alone = np.concatenate([reassembled(patches[b : b + 1], positions[b : b + 1]) for b in range(6)])
    np.testing.assert_allclose(alone, right, atol=1e-5)
    assert together.shape == right.shape
    assert deviation(together, right) > 0.1


# --- late-setting -----------------------------------------------------------------------------------------


def test_late_setting(make_data):
    from ptycho import model

    inputs = model.prepare_inputs(make_data(2, 2, 32))

    def warps():
        autoencoder, _ = model.create_model_with_gridsize(2, 32)
        return compiled_warps(lambda x, y: autoencoder([x, y]), *inputs)

    assert warps() > 0
    params.set("use_xla_translate", False)
    assert warps() == 0  # in time
    params.set("use_xla_translate", True)
    with faults.applied("late-setting"):
        for _ in range(2):  # a second model is as late as the first
            assert warps() > 0
            assert params.get("use_xla_translate") is False
    assert warps() == 0  # the setting stays written


# --- dead-switch ------------------------------------------------------------------------------------------


def test_dead_switch(monkeypatch):
    from ptycho import tf_helper

    patches, positions = smooth(2)
    images, moves = patches[..., :1].real, positions[:, 0, :, 0]

    def warps(**options):
        layer = tf_helper.Translation(**options)
        return compiled_warps(lambda x, y: layer([x, y]), images, moves)

    def under_each_switch():
        results = [warps(), warps(use_xla=False)]
        params.set("use_xla_translate", False)
        results.append(warps())
        params.set("use_xla_translate", True)
        with monkeypatch.context() as patch:
            patch.setenv("USE_XLA_TRANSLATE", "0")
            results.append(warps())
        return results

    assert under_each_switch() == [1, 0, 0, 0]
    with faults.applied("dead-switch"):
        assert under_each_switch() == [1, 1, 1, 1]


# --- module-singleton -------------------------------------------------------------------------------------


def test_module_singleton(make_data):
    from ptycho import model

    params.set("N", 32)
    with faults.applied("module-singleton"):
        data = make_data(4, 2, 32)  # settings are written after the import
        autoencoder, _ = model.create_compiled_model(2, 32)
        with pytest.raises(ValueError, match="incompatible with the layer") as error:
            autoencoder.predict(model.prepare_inputs(data), verbose=0)
    assert re.search(r"of layer 'encode_0a' is incompatible .* expected axis -1 of input shape", str(error.value))


def test_module_singleton_that_happens_to_fit_keeps_old_settings(make_data):
    from ptycho import model

    data = make_data(4, 2, 32)
    with faults.applied("module-singleton", gridsize=2):
        params.set("intensity_scale", 10.0)  # measured on the data, after the import
        first, second = (model.create_model_with_gridsize(2, 32)[0] for _ in range(2))
        assert first is second  # the arms of a study share their weights
        counts = first.predict(model.prepare_inputs(data), verbose=0)[2]
    healthy, _ = model.create_model_with_gridsize(2, 32)
    healthy.set_weights(first.get_weights())
    right = healthy.predict(model.prepare_inputs(data), verbose=0)[2]
    np.testing.assert_allclose(counts * 100, right, rtol=1e-4)


# --- batch-centred-offsets --------------------------------------------------------------------------------


def test_batch_centred_offsets():
    patches, positions = smooth(6)
    right = reassembled(patches, positions)
    with faults.applied("batch-centred-offsets"):
        together = reassembled(patches, positions)
        halves = np.concatenate([reassembled(patches[i : i + 3], positions[i : i + 3]) for i in (0, 3)])
        alone = reassembled(patches[:1], positions[:1])
    assert together.shape == right.shape
    assert deviation(together, right) > 0.1
    assert deviation(halves, together) > 0.1  # the same rows in smaller batches
    np.testing.assert_allclose(alone, reassembled(patches[:1], 0 * positions[:1]), atol=1e-5)
    again = np.concatenate([reassembled(patches[i : i + 3], positions[i : i + 3]) for i in (0, 3)])
    np.testing.assert_allclose(again, right, atol=1e-5)
