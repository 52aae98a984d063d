"""Lowering for a device: every op without a kernel is found, not the first alone. And remedies on a graph."""

from __future__ import annotations

import numpy as np
import pytest

from probes.protocol.requests import LowerFor, TryRemedy

pytestmark = pytest.mark.slow


def several_without_a_kernel():
    import tensorflow as tf

    def length(x):
        return tf.cast(tf.strings.length(tf.strings.as_string(x)), tf.float32)

    def taken(x):
        # What it gives goes into another op without a kernel.
        return tf.math.real(tf.linalg.eig(length(x))[0])

    def body(i, x):
        inner = tf.cond(x[0, 0] > 9.0, lambda: length(x * 2.0), lambda: x)
        return i + 1, inner + tf.math.real(tf.linalg.eig(inner)[0])

    @tf.function(autograph=False)
    def program(x):
        values = tf.linalg.eig(x)[0]
        branch = tf.cond(tf.shape(x)[0] > 2, lambda: taken(x), lambda: x[0])
        _, looped = tf.while_loop(lambda i, _: i < 3, body, [0, x], shape_invariants=[None, tf.TensorSpec([None, 4])])
        return length(x) + x, values, branch, looped

    return program, [np.random.default_rng(0).random((4, 4)).astype("f")]


@pytest.mark.parametrize("platform", ["cpu", "gpu"])
def test_all_ops_without_a_kernel_are_found(platform, tmp_path):
    """On top, in a branch (one behind the other), in a loop, and in a branch in it that is never taken."""
    from probes.graph import lowering

    from . import patients

    if platform == "gpu" and lowering.unavailable("gpu"):
        pytest.skip("tensorflow-cpu")
    program, arguments = several_without_a_kernel()
    folder, _ = patients.capsule(tmp_path / "c", program, arguments, specs="open")
    told = lowering.lowered_for(LowerFor(capsule=str(folder), platform=platform, text=str(tmp_path / "hlo.txt")))
    found = {(u["op"], u["node"], u["sources"][-1][2]) for u in told["unsupported"]}
    assert found == {
        ("Eig", "Eig", "program"),
        ("AsString", "AsString", "length"),
        ("AsString", "cond/cond/AsString", "length"),
        ("Eig", "cond/cond/Eig", "taken"),
        ("Eig", "while/while/Eig", "body"),
        ("AsString", "while/while/cond/while/cond/AsString", "length"),
    }
    assert (told["ok"], told["more"], told["error"]) == (False, False, None)
    assert not (tmp_path / "hlo.txt").exists()


def test_a_step_that_can_be_lowered_and_its_dynamic_dimensions(plain, tmp_path):
    from probes.graph import lowering

    from . import patients, silent

    folder, _ = patients.capsule(tmp_path / "c", *silent.masked_roll(), specs="open")
    text = tmp_path / "hlo.txt"
    told = lowering.lowered_for(LowerFor(capsule=str(folder), platform="cpu", text=str(text)))
    assert (told["ok"], told["unsupported"], told["tries"]) == (True, [], 1)
    assert told["dynamic"] > 0 and "<=6" in text.read_text()
    assert lowering.unavailable("abacus") == "platform 'abacus'; known are cpu, gpu"


def test_an_op_that_the_doctor_never_runs_is_told(plain, tmp_path):
    from probes.graph import lowering

    folder, _ = plain("touches_files", target=str(tmp_path / "written"))
    told = lowering.lowered_for(LowerFor(capsule=str(folder), platform="cpu"))
    assert {"WriteFile", "ReadFile"} <= {u["op"] for u in told["unsupported"]} and told["ok"] is False
    assert not (tmp_path / "written").exists()


def test_values_of_a_capsule_stay_out_on_request(tmp_path, monkeypatch):
    import numpy as np

    from probes.graph import lowering

    from . import patients, silent

    folder, _ = patients.capsule(tmp_path / "c", *silent.masked_roll(), specs="open")
    fed = []
    lower = lowering.lower
    monkeypatch.setattr(
        lowering, "lower", lambda graph, values, **more: fed.append(values) or lower(graph, values, **more)
    )
    for values in (True, False):
        assert lowering.lowered_for(LowerFor(capsule=str(folder), platform="cpu", values=values))["ok"]
    kept, random = (np.asarray(next(iter(v.values()))) for v in fed)
    np.testing.assert_array_equal(kept, silent.masked_roll()[1][0])
    assert random.shape == kept.shape and not (random == kept).any()


def test_remedies_on_a_batch_that_collapses(tmp_path):
    from probes.graph.parity_answers import Kept

    from . import patients, silent

    folder, _ = patients.capsule(tmp_path / "c", *silent.collapses_from_four(), specs="open")
    kept = Kept()

    def tried(**apply):
        return kept.remedy(TryRemedy(capsule=str(folder), apply=apply))

    silent_one = tried(kind="as-is")
    assert (silent_one["apart"], silent_one["missing"]) == (["output 0"], 5)
    right = tried(kind="chunks", size=3)
    assert (right["outcome"], right["apart"], right["missing"], right["deviation"]) == ("passed", [], 0, 0.0)
    assert tried(kind="pad", to=8)["missing"] == 5
    assert tried(kind="drop", size=4)["compared"] == 0  # what is left is no row any more
    with pytest.raises(Exception, match="nothing would be left"):
        tried(kind="drop", size=7)


def test_an_op_moved_out_of_the_compiled_step(tmp_path):
    from probes.graph.parity_answers import Kept

    from . import patients, silent

    folder, _ = patients.capsule(tmp_path / "c", *silent.masked_roll(), specs="open")
    kept = Kept()
    as_is = kept.remedy(TryRemedy(capsule=str(folder), way="xla", apply={"kind": "as-is"}))
    assert as_is["apart"] == ["output 0"]
    outside = kept.remedy(TryRemedy(capsule=str(folder), way="xla", apply={"kind": "move-outside", "node": "Roll"}))
    assert (outside["outcome"], outside["apart"], outside["deviation"]) == ("passed", [], 0.0)
