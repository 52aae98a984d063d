"""Lowering for a device: every op without a kernel is found, not the first alone. And remedies on a graph."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.slow


def several_without_a_kernel():
    import tensorflow as tf

    @tf.function
    def program(x):
        length = tf.strings.length(tf.strings.as_string(x))
        values = tf.linalg.eig(x)[0]
        branch = tf.cond(
            tf.shape(x)[0] > 2, lambda: tf.cast(tf.strings.length(tf.strings.as_string(x)), tf.float32), lambda: x
        )
        return tf.cast(length, tf.float32) + x, values, branch

    return program, [np.random.default_rng(0).random((4, 4)).astype("f")]


@pytest.mark.parametrize("platform", ["cpu", "gpu"])
def test_all_ops_without_a_kernel_are_found(platform, tmp_path):
    from probes.graph import lowering

    from . import patients

    if platform == "gpu" and lowering.unavailable("gpu"):
        pytest.skip("tensorflow-cpu")
    program, arguments = several_without_a_kernel()
    folder, _ = patients.capsule(tmp_path / "c", program, arguments, specs="open")
    told = lowering.lowered_for({"capsule": str(folder), "platform": platform, "text": str(tmp_path / "hlo.txt")})
    found = {(u["op"], u["node"]) for u in told["unsupported"]}
    assert found == {("AsString", "AsString"), ("Eig", "Eig"), ("AsString", "cond/AsString")}
    assert all(u["sources"][-1][2] == "program" for u in told["unsupported"] if u["node"] != "cond/AsString")
    assert told["ok"] is False and told["more"] is True  # behind the branch there may be others
    assert not (tmp_path / "hlo.txt").exists()


def test_a_step_that_can_be_lowered_and_its_dynamic_dimensions(plain, tmp_path):
    from probes.graph import lowering

    from . import patients, silent

    folder, _ = patients.capsule(tmp_path / "c", *silent.masked_roll(), specs="open")
    text = tmp_path / "hlo.txt"
    told = lowering.lowered_for({"capsule": str(folder), "platform": "cpu", "text": str(text)})
    assert (told["ok"], told["unsupported"], told["tries"]) == (True, [], 1)
    assert told["dynamic"] > 0 and "<=6" in text.read_text()
    assert lowering.unavailable("abacus") == "platform 'abacus'; known are cpu, gpu"


def test_an_op_that_the_doctor_never_runs_is_told(plain, tmp_path):
    from probes.graph import lowering

    folder, _ = plain("touches_files", target=str(tmp_path / "written"))
    told = lowering.lowered_for({"capsule": str(folder), "platform": "cpu"})
    assert {"WriteFile", "ReadFile"} <= {u["op"] for u in told["unsupported"]} and told["ok"] is False
    assert not (tmp_path / "written").exists()


def test_remedies_on_a_batch_that_collapses(tmp_path):
    from probes.graph.parity_answers import Kept

    from . import patients, silent

    folder, _ = patients.capsule(tmp_path / "c", *silent.collapses_from_four(), specs="open")
    kept = Kept()

    def tried(**apply):
        return kept.remedy({"capsule": str(folder), "way": "plain", "apply": apply})

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
    as_is = kept.remedy({"capsule": str(folder), "way": "xla", "apply": {"kind": "as-is"}})
    assert as_is["apart"] == ["output 0"]
    outside = kept.remedy({"capsule": str(folder), "way": "xla", "apply": {"kind": "move-outside", "node": "Roll"}})
    assert (outside["outcome"], outside["apart"], outside["deviation"]) == ("passed", [], 0.0)
