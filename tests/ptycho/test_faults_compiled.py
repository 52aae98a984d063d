"""Faults that only XLA meets: what TensorFlow says, and that the same programs are right without it."""

import re

import numpy as np
import pytest

from ptycho import faults, params

pytestmark = pytest.mark.slow

N, C = 32, 4  # P is 46

# What XLA says of a bounded dynamic batch that it cannot carry: TensorFlow 2.19 and 2.21 at the FFT, 2.15 before it.
BOUNDED = "Asked to propagate a dynamic dimension|Fail to proof the equality of two dimensions at compile time"


def refused():
    """The exceptions that this comes as."""
    import tensorflow as tf

    return (tf.errors.UnimplementedError, tf.errors.InvalidArgumentError)


def batch(B, seed=0):
    """Patches (B N N C) and positions (B 1 2 C)."""
    rng = np.random.default_rng(seed)
    patches = rng.random((B, N, N, C)) + 1j * rng.random((B, N, N, C))
    return patches.astype(np.complex64), rng.uniform(-3, 3, (B, 1, 2, C)).astype(np.float32)


def physics(jit_compile):
    """Reassembly, extraction and diffraction in one function that does not know its batch."""
    import tensorflow as tf

    from ptycho import tf_helper
    from ptycho.custom_layers import ExtractPatchesPositionLayer, ReassemblePatchesLayer

    params.cfg.update(N=N, gridsize=2)
    reassemble, extract = ReassemblePatchesLayer(), ExtractPatchesPositionLayer(N=N, gridsize=2)
    spec = [tf.TensorSpec([None, N, N, C], tf.complex64), tf.TensorSpec([None, 1, 2, C])]

    @tf.function(jit_compile=jit_compile, input_signature=spec)
    def run(patches, positions):
        objects = reassemble([patches, positions])
        return objects, tf_helper.diffract(extract([objects, positions]))

    return run


def assert_right_without_xla(B):
    """What the fault that is put in gives at this batch size is what the correct model gives."""
    inputs = batch(B)
    faulty = physics(jit_compile=False)(*inputs)
    with healthy():
        right = physics(jit_compile=False)(*inputs)
    for a, b in zip(faulty, right, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)


@pytest.fixture
def put_in():
    """`put_in(name, **options)`: a fault, until the test ends."""
    import contextlib

    with contextlib.ExitStack() as stack:
        yield lambda name, **options: stack.enter_context(faults.applied(name, **options))


def healthy():
    """The functions as they are without any fault, for the duration of a `with` block."""
    from ptycho.faults.registry import replaced

    return replaced(ORIGINALS)


@pytest.fixture(scope="module", autouse=True)
def originals():
    """All functions that the faults of this file replace."""
    from ptycho import plain_warp, projective_warp_xla, tf_helper

    ORIGINALS[:] = [
        (module, name, getattr(module, name))
        for module, names in (
            (tf_helper, ("_reassemble_position_batched", "translate", "shift_and_sum")),
            (plain_warp, ("translate_plain",)),
            (projective_warp_xla, ("projective_warp_xla", "projective_warp_xla_jit", "_blend", "_gather_bhw")),
        )
        for name in names
    ]


ORIGINALS = []


def test_the_same_program_compiles_without_a_fault():
    for jit_compile in (True, False):
        objects, amplitudes = physics(jit_compile)(*batch(8))
        assert (objects.shape, amplitudes.shape) == ((8, 46, 46, 1), (8, N, N, C))


# --- fft-on-bounded-batch ---------------------------------------------------------------------------------


def test_fft_on_bounded_batch(put_in):
    put_in("fft-on-bounded-batch")
    for B in (2, 8):
        with pytest.raises(refused(), match=BOUNDED) as error:
            physics(jit_compile=True)(*batch(B))
        assert f"c64[<={B * C},{N},{N}]" in str(error.value) or "Fail to proof" in str(error.value)
    assert_right_without_xla(20)


def test_fft_on_bounded_batch_in_keras(put_in, make_data):
    """All batches equal, in prediction; `object_big` False avoids the reassembly and with it the error."""
    from ptycho import model

    put_in("fft-on-bounded-batch")
    inputs = model.prepare_inputs(make_data(16, 2, N))
    autoencoder, _ = model.create_compiled_model(jit_compile=True)
    with pytest.raises(refused(), match=BOUNDED):
        autoencoder.predict(inputs, batch_size=8, verbose=0)
    params.set("object_big", False)
    autoencoder, _ = model.create_compiled_model(jit_compile=True)
    assert [len(rows) for rows in autoencoder.predict(inputs, batch_size=8, verbose=0)] == [16, 16, 16]


# --- repeat-in-translate ----------------------------------------------------------------------------------


def test_repeat_in_translate(put_in, monkeypatch):
    import tensorflow as tf

    put_in("repeat-in-translate")
    monkeypatch.setenv("USE_XLA_TRANSLATE", "0")
    for B in (2, 20):
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be a compile-time constant") as error:
            physics(jit_compile=True)(*batch(B))
        assert re.search(r"Input 1 to node `.*translation.*/Repeat/Tile` with op Tile", str(error.value))
    assert_right_without_xla(20)


def test_repeat_in_translate_with_xla_translation_is_the_other_message(put_in):
    put_in("repeat-in-translate")
    with pytest.raises(refused(), match=BOUNDED):
        physics(jit_compile=True)(*batch(2))


# --- einsum-homography ------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", ["historic_warp", "einsum_homography"])
def test_the_old_warps_give_what_the_models_own_gives(module):
    import importlib

    from ptycho import projective_warp_xla
    from ptycho.faults.registry import replaced

    old = importlib.import_module(f"ptycho.faults.{module}")
    patches = getattr(old, "warp_patches", old.patches)

    rng = np.random.default_rng(0)
    images = rng.random((5, 20, 24, 1)).astype(np.float32)
    moves = np.array([[0, 0], [3, -2], [0.25, 0.75], [-7.5, 4.125], [30, 0]], np.float32)
    right = projective_warp_xla.translate_xla(images, moves)
    with replaced(patches()):
        np.testing.assert_allclose(projective_warp_xla.translate_xla(images, moves), right, atol=1e-5)


def test_einsum_homography_is_silent(put_in):
    """The FFT no longer sees that the batch is bounded: one object for all groups, and a pattern for each."""
    import tensorflow as tf

    if tf.__version__.startswith("2.15"):
        pytest.skip("TensorFlow 2.15 refuses it")
    put_in("einsum-homography")
    inputs = batch(16)
    objects, amplitudes = physics(jit_compile=True)(*inputs)
    assert (objects.shape, amplitudes.shape) == ((1, 46, 46, 1), (16, N, N, C))
    with healthy():
        right_objects, right = physics(jit_compile=True)(*inputs)
    assert len(right_objects) == 16
    assert np.linalg.norm(amplitudes - right) / np.linalg.norm(right) > 0.05


def test_einsum_homography_without_xla_is_a_reshape(put_in):
    import tensorflow as tf

    put_in("einsum-homography")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"a tensor with 135424 values, .* shape has 8464"):
        physics(jit_compile=False)(*batch(16))  # 64*46*46 against 4*46*46
    assert_right_without_xla(8)


def test_einsum_homography_in_training(put_in):
    import tensorflow as tf

    put_in("einsum-homography")
    run, spec = physics(jit_compile=False).python_function, physics(jit_compile=False).input_signature

    @tf.function(jit_compile=True, input_signature=spec)
    def gradient(patches, positions):
        with tf.GradientTape() as tape:
            tape.watch(patches)
            loss = tf.reduce_sum(run(patches, positions)[1])
        return tape.gradient(loss, patches)

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"range_\d+` with op Range must be a compile-time const"):
        gradient(*batch(4))


# --- vectorised-stitching ---------------------------------------------------------------------------------


def stitch(rows, groups):
    from ptycho import tf_helper

    rng = np.random.default_rng(0)
    objects = (rng.random((rows, 15, 15, 1)) + 1j).astype(np.complex64)
    offsets = rng.uniform(0, 9, (groups, 1, 2, 1)).astype(np.float32)
    return tf_helper.reassemble_position(objects, offsets)


def test_vectorised_stitching_says_what_report_004_saw(put_in):
    put_in("vectorised-stitching")
    with pytest.raises(ValueError, match="Dimensions must be equal") as error:
        stitch(159, 5088)
    assert (
        "Dimensions must be equal, but are 5088 and 159 for '{{node mul_21}} = Mul[T=DT_FLOAT](mul_17, mul_13)' "
        "with input shapes: [5088,?,?,1], [159,?,?,1]." in str(error.value)
    )


def test_vectorised_stitching_is_right_where_the_rows_are_there(put_in):
    right, coverage, origin = stitch(6, 6)
    put_in("vectorised-stitching")
    faulty, faulty_coverage, faulty_origin = stitch(6, 6)
    assert faulty_origin == origin
    rows, columns = right.shape
    np.testing.assert_allclose(faulty[:rows, :columns], right, atol=1e-4)
    np.testing.assert_allclose(faulty_coverage[:rows, :columns], coverage, atol=1e-5)


def test_vectorised_stitching_in_a_study(put_in, make_data):
    from ptycho import model, train_pinn

    put_in("vectorised-stitching")
    data = make_data(64, 2, N)
    autoencoder, _ = model.create_compiled_model(jit_compile=False)
    with pytest.raises(ValueError, match=r"are 64 and 2 for '\{\{node mul_21\}\} = Mul"):
        train_pinn.evaluate(autoencoder, data, batch_size=32)
