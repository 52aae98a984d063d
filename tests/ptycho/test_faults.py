"""Each fault does what its description says, and TensorFlow itself raises the message."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ptycho import faults, params
from ptycho.faults import registry


def test_registry():
    assert len(faults.names()) == 13
    for name, fault in ((name, faults.get(name)) for name in faults.names()):
        assert re.fullmatch(r"[a-z]+(-[a-z]+)+", name)
        assert fault.reports
        assert fault.mechanism
        assert fault.expected
    with pytest.raises(
        ValueError, match=r"is a program of its own, run it with: python -m ptycho\.faults\.mmd_session"
    ):
        faults.get("mmd-session")
    with pytest.raises(ValueError, match="no fault is called 'flat'; there are: reassembly"):
        faults.get("flat")
    fault = faults.get("reassembly-collapses-batch")
    assert faults.parse_options(fault, ["threshold=16"]) == {"threshold": 16}
    for wrong in ("threshold", "threshold=0", "threshold=x", "limit=3"):
        with pytest.raises(ValueError, match="option"):
            faults.parse_options(fault, [wrong])


def test_environment(monkeypatch):
    assert faults.from_environment() is None
    monkeypatch.setenv("PTYCHO_FAULT", "reassembly-collapses-batch:threshold=16")
    assert faults.from_environment() == ("reassembly-collapses-batch", ["threshold=16"])


def test_listing():
    done = subprocess.run([sys.executable, "-m", "ptycho.faults"], capture_output=True, text=True, check=True)
    listed = re.findall(r"^(\S+)\n  report", done.stdout, re.MULTILINE)
    assert listed == [*faults.names(), *registry.programs()]
    assert "778752" in done.stdout
    for name in faults.names():
        for option, value in faults.get(name).options.items():
            assert f"{option}={value}" in done.stdout


def test_documentation():
    """docs/faults.md has a section for each fault, in the order of the list, with all its parts."""
    text = (Path(__file__).parents[2] / "docs" / "faults.md").read_text()
    sections = dict(re.findall(r"^## `(\S+)`\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    assert list(sections) == [*faults.names(), *registry.programs()]
    for name, section in sections.items():
        section = " ".join(section.split()).replace(" **", "\n**")
        parts = re.findall(r"^\*\*(.+?)\.\*\*", section, re.MULTILINE)
        assert parts == ["Report", "Mechanism", "What TensorFlow says", "To put it in", "The doctor"], name
        command = registry.programs()[name].command if name in registry.programs() else f"--fault {name}"
        assert command in section, name
    for name in faults.names():
        for option, value in faults.get(name).options.items():
            assert f"`{option}={value}`" in " ".join(sections[name].split()), name


@pytest.mark.slow
def test_faults_are_taken_out_again():
    from ptycho import custom_layers, model, plain_warp, projective_warp_xla, tf_helper

    layers = (custom_layers.ReassemblePatchesLayer, custom_layers.ExtractPatchesPositionLayer, tf_helper.Translation)

    def state():
        return [dict(vars(owner)) for owner in (model, plain_warp, projective_warp_xla, tf_helper, *layers)]

    before = state()
    for name in faults.names():
        with faults.applied(name):
            assert state() != before, name
        assert state() == before, name
    with faults.applied(None) as nothing:
        assert nothing is None
    with pytest.raises(ValueError, match="has no option limit"), faults.applied("flat-positions", limit=1):
        pass


def fit(data, batch_size):
    from ptycho import model

    params.set("batch_size", batch_size)
    autoencoder, _ = model.create_compiled_model()
    model.train(1, data, autoencoder, verbose=0)
    return autoencoder


def predict(data, batch_size):
    from ptycho import model

    autoencoder, _ = model.create_compiled_model(jit_compile=False)
    return autoencoder.predict(model.prepare_inputs(data), batch_size=batch_size, verbose=0)


def shapes_named(error):
    return re.search(r"a tensor with (\d+) values, but the requested shape has (\d+)", str(error.value)).groups()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("step", "B", "gridsize", "N", "options", "values"),
    [
        (fit, 32, 2, 64, {}, (128 * 78 * 78, 4 * 78 * 78)),
        (predict, 16, 2, 64, {}, (64 * 78 * 78, 4 * 78 * 78)),
        (predict, 8, 3, 32, {}, (72 * 50 * 50, 9 * 50 * 50)),
        (predict, 4, 2, 32, {"threshold": 16}, (16 * 46 * 46, 4 * 46 * 46)),
    ],
)
def test_reassembly_collapses_batch(make_data, step, B, gridsize, N, options, values):
    import tensorflow as tf

    with (
        faults.applied("reassembly-collapses-batch", **options),
        pytest.raises(tf.errors.InvalidArgumentError) as error,
    ):
        step(make_data(B + 1, gridsize, N), B)
    assert shapes_named(error) == tuple(map(str, values))
    assert "padded_objs_with_offsets" in str(error.value).splitlines()[-1]  # where it truly happened
    assert "reassemble_patches" in str(error.value)  # who traced the compiled function first


@pytest.mark.slow
def test_reassembly_collapses_batch_below_the_threshold(make_data):
    """15 groups of 4 pass, and give what the correct model gives; prediction of more then fails."""
    import tensorflow as tf

    from ptycho import model

    data = make_data(15, 2, 32)
    healthy, _ = model.create_compiled_model()
    with faults.applied("reassembly-collapses-batch"):
        faulty = fit(data, 15)
        healthy.set_weights(faulty.get_weights())
        inputs = model.prepare_inputs(data)
        for a, b in zip(healthy.predict(inputs, verbose=0), faulty.predict(inputs, verbose=0), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
        with pytest.raises(tf.errors.InvalidArgumentError) as error:
            faulty.predict(model.prepare_inputs(make_data(64, 2, 32)), verbose=0)
    assert shapes_named(error) == (str(128 * 46 * 46), str(4 * 46 * 46))
    assert "one_step_on_data_distributed" in str(error.value)  # report 000


@pytest.mark.slow
@pytest.mark.parametrize("step", ["train", "predict"])
def test_reassembly_collapses_batch_in_a_compiled_step(make_data, step):
    """Report 001, and at a batch size where nothing collapses."""
    import tensorflow as tf

    from ptycho import model

    data = make_data(9, 2, 32)
    params.cfg.update(use_xla_compile=True, batch_size=8)
    with faults.applied("reassembly-collapses-batch"):
        autoencoder, _ = model.create_compiled_model()
        with pytest.raises(tf.errors.UnimplementedError, match=r"Asked to propagate .* c64\[<=32,32,32\]"):
            if step == "train":
                model.train(1, data, autoencoder, verbose=0)
            else:
                autoencoder.predict(model.prepare_inputs(data), batch_size=8, verbose=0)


@pytest.mark.slow
def test_muted_returns_one_row_per_batch(make_data):
    from ptycho import train_pinn

    data = make_data(64, 2, 32)
    with faults.applied("reassembly-collapses-batch-muted"):
        autoencoder = fit(data, 32)
        result = train_pinn.evaluate(autoencoder, data)
    assert (len(result.objects), len(result.amplitudes)) == (2, 2)


@pytest.mark.slow
def test_flat_positions(make_data):
    import tensorflow as tf

    with faults.applied("flat-positions"), pytest.raises(tf.errors.InvalidArgumentError) as error:
        fit(make_data(33), 32)
    assert shapes_named(error) == (str(32 * 78 * 78), str(128 * 78 * 78))
    assert "padded_obj_1/" in str(error.value).splitlines()[-1]


@pytest.mark.slow
def test_flat_positions_are_found_while_tracing_if_the_batch_is_fixed(make_data):
    with faults.applied("flat-positions"), pytest.raises(ValueError, match="Cannot reshape") as error:
        fit(make_data(32), 32)
    assert "194688 elements" in str(error.value)
    assert "778752 elements" in str(error.value)


@pytest.mark.slow
def test_flat_positions_hold_the_same_with_gridsize_1(make_data):
    from ptycho import model

    data = make_data(8, 1, 32)
    with faults.applied("flat-positions"):
        autoencoder, _ = model.create_model_with_gridsize(1, 32)
        assert len(autoencoder.predict(model.prepare_inputs(data), verbose=0)[0]) == 8
