"""Every fault of ptycho that raises an error inside a graph, isolated to the op that docs/faults.md names."""

from __future__ import annotations

import contextlib
import math
import sys

import pytest

from tests.xladoctor.experiments.in_process import InProcess
from xladoctor.experiments.isolate import isolate
from xladoctor.experiments.repro import write_repro
from xladoctor.model.replay import Case, Signature

pytestmark = pytest.mark.slow

N = 32


@pytest.fixture(scope="module")
def captured(tmp_path_factory):
    """`captured(fault)` -> the capsule of a call that meets the fault; made when first asked for."""
    from ptycho import params

    made = {}
    saved = dict(params.cfg)
    params.cfg.clear()
    params.cfg.update(params.DEFAULTS, filters_scale=1 / 16)

    def capture(fault, make, **environment):
        if fault not in made:
            from ptycho import faults
            from tests.probes.graph.capsules import capsule_of

            with pytest.MonkeyPatch.context() as patch, faults.applied(fault):
                for name, value in environment.items():
                    patch.setenv(name, value)
                concrete, data = make()
                made[fault], _ = capsule_of(tmp_path_factory.mktemp(fault) / "capsule", concrete, data)
        return made[fault]

    yield capture
    params.cfg.clear()
    params.cfg.update(saved)


def physics(B, jit=True):
    """Reassembly, extraction and diffraction of an unknown batch."""
    from tests.ptycho import test_faults_compiled as program

    data = list(program.batch(B))
    return program.physics(jit_compile=jit).get_concrete_function(), data


def gradient():
    """The same with its gradient."""
    import tensorflow as tf

    from tests.ptycho import test_faults_compiled as program

    run = program.physics(jit_compile=False)

    @tf.function(jit_compile=True, input_signature=run.input_signature)
    def step(patches, positions):
        with tf.GradientTape() as tape:
            tape.watch(patches)
            loss = tf.reduce_sum(run.python_function(patches, positions)[1])
        return tape.gradient(loss, patches)

    return step.get_concrete_function(), list(program.batch(4))


def fit():
    """A Keras train step of the whole model."""
    import numpy as np
    import tensorflow as tf

    from ptycho import model, params, preparation
    from ptycho.loader import PtychoDataContainer
    from tests.probes.graph.capsules import newest_concrete

    params.cfg.update(N=N, gridsize=2, batch_size=4)
    random = np.random.default_rng(0)
    data = PtychoDataContainer(
        X=random.random((5, N, N, 4), np.float32),
        coords=random.uniform(-3, 3, (5, 1, 2, 4)).astype(np.float32),
        global_offsets=random.uniform(0, 40, (5, 1, 2, 1)).astype(np.float32),
        intensity_scale=10.0,
    )
    autoencoder, _ = model.create_compiled_model(jit_compile=False)
    with contextlib.suppress(tf.errors.InvalidArgumentError):
        model.train(1, data, autoencoder, verbose=0)
    _, inputs = preparation.prepare(autoencoder, model.prepare_inputs(data))
    batch = [np.asarray(a)[:4] for a in (*inputs, *model.prepare_outputs(data))]
    return newest_concrete("multi_step_on_iterator"), batch


def isolated(capsule, tmp_path):
    bench = InProcess(capsule, tmp_path, sys.executable)
    found = isolate(bench, Case(None))
    assert found is not None
    return found, bench


def within_bounds(found):
    return found.tries <= math.ceil(math.log2(found.ops)) + 3 + 2 * len(found.path)


def test_fft_on_bounded_batch(captured, tmp_path):
    found, bench = isolated(captured("fft-on-bounded-batch", lambda: physics(2)), tmp_path)
    assert (found.op, found.mode, found.stage) == ("FFT2D", "xla", "optimized_hlo")
    assert found.signature == Signature("dynamic-dimension-unsupported", "FFT2D")
    assert found.location.endswith("in diffract")
    assert found.inputs[0]["shape"] == ["<=8", N, N]
    assert within_bounds(found)
    birth, *_, end = found.chain
    assert (birth.op, birth.what, end.op, end.what) == ("StatelessIf", "birth", "FFT2D", "fails")
    assert "ptycho/faults/reassembly_collapses_batch.py" in birth.location
    assert birth.location.endswith("in _reassemble_position_batched")
    assert birth.why == "its branches give f32[2,46,46,1] and f32[1,46,46,1]"
    assert any("ptycho/tf_helper.py" in link.location for link in found.chain if link.what == "carries")

    repro = write_repro(bench, Case(None), found, tmp_path / "script.py")
    assert repro.reproduced, repro
    assert repro.signature == found.signature
    text = (tmp_path / "script.py").read_text()
    assert len(text.splitlines()) == repro.lines < 60
    imported = [line for line in text.splitlines() if "import" in line]
    assert imported == ["import numpy as np", "import tensorflow as tf"]


def test_repeat_in_translate(captured, tmp_path):
    found, _ = isolated(captured("repeat-in-translate", lambda: physics(2), USE_XLA_TRANSLATE="0"), tmp_path)
    assert (found.op, found.stage) == ("Tile", "hlo")
    assert found.signature == Signature("compile-time-constant", "Tile")
    assert "while" in found.path[-1]
    assert found.node.endswith("Repeat/Tile")
    assert found.location.endswith("in translate_plain_repeating")
    assert within_bounds(found)
    assert (found.chain[0].op, found.chain[-1].op) == ("StridedSlice", "Tile")
    assert found.chain[0].location.endswith("in add_chunk")


def test_einsum_homography_in_training(captured, tmp_path):
    """In the gradient of a function that is called in the gradient of a loop."""
    found, _ = isolated(captured("einsum-homography", gradient), tmp_path)
    assert found.op == "Range"
    assert "GatherV2" in found.node
    assert found.signature == Signature("compile-time-constant", "Range")
    assert len(found.path) >= 3
    assert within_bounds(found)


def test_reassembly_collapses_batch(captured, tmp_path):
    found, bench = isolated(captured("reassembly-collapses-batch", lambda: physics(16, jit=False)), tmp_path)
    assert (found.op, found.mode, found.compilations) == ("Reshape", "run", 0)
    assert found.signature.slug == "reshape-mismatch"
    assert found.inputs[1]["value"] == [4, 46, 46]
    assert found.location.endswith("in _blend")
    assert "prefix" not in bench.asked
    script = tmp_path / "script.py"
    assert write_repro(bench, Case(None), found, script).reproduced
    assert len(script.read_text().splitlines()) < 20


def test_flat_positions_in_a_train_step(captured, tmp_path):
    found, _ = isolated(captured("flat-positions", fit), tmp_path)
    assert (found.op, found.mode, found.signature.slug) == ("Reshape", "run", "reshape-mismatch")
    assert "padded_obj" in found.node
    assert found.inputs[0]["shape"][0] * 4 == found.inputs[1]["value"][0]  # B translations, B*C images
    assert found.ops > 2000


def test_the_same_steps_lowered(captured, tmp_path):
    from probes.graph.lowering import unavailable
    from xladoctor.experiments.lowering import lower

    platform = "cpu" if unavailable("gpu") else "gpu"

    def lowered(capsule):
        return lower(InProcess(capsule, tmp_path, sys.executable), Case(None), platform)

    told = lowered(captured("fft-on-bounded-batch", lambda: physics(2)))
    assert (told.ok, told.signature.slug, told.signature.op) == (False, "dynamic-dimension-unsupported", "FFT2D")
    assert (told.dynamic[0].op, told.dynamic[-1].op) == ("StatelessIf", "FFT2D")
    train = lowered(captured("flat-positions", fit))
    assert (train.ok, train.unsupported, train.dynamic) == (False, (), ())
    assert train.signature.slug == "reshape-mismatch"


def test_a_model_without_a_fault_has_no_failing_op(captured, tmp_path):
    capsule = captured("negated-offsets", lambda: physics(2))
    assert isolate(InProcess(capsule, tmp_path, sys.executable), Case(None)) is None


def of(tmp_path, program, *arguments):
    from tests.probes.graph import patients

    capsule, _ = patients.capsule(tmp_path / "capsule", program, list(arguments), specs="open")
    return isolate(InProcess(capsule, tmp_path, sys.executable), Case(None))


def test_only_what_asked_for_xla_is_compiled(tmp_path):
    """The same op outside of a jit-compiled function fails for nobody, and is no finding."""
    import numpy as np
    import tensorflow as tf

    def spectrum(x):
        kept = tf.boolean_mask(x, x[:, 0] > 0)
        return tf.abs(tf.signal.fft(tf.cast(kept, tf.complex64)))

    compiled = tf.function(spectrum, jit_compile=True)
    x = np.array([[1, 2], [-1, 3]], "f")
    assert of(tmp_path / "plain", tf.function(lambda x: spectrum(x)), x) is None
    other = tf.function(lambda x: (spectrum(x), tf.function(tf.sin, jit_compile=True)(x)))
    assert of(tmp_path / "beside", other, x) is None
    found = of(tmp_path / "inside", tf.function(lambda x: compiled(x * 2.0) + 1.0), x)
    assert (found.op, found.mode) == ("FFT", "xla")
    assert [link.op for link in found.chain] == ["Where", "Squeeze", "GatherV2", "Cast", "FFT"]
