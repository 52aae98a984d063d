"""The op that fails first, by value: through cached functions, branches, loops, gradients."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow


def found(folder, **options):
    from probes.graph import failing, load, step

    return failing.failing_op(step.prepare(load.load(folder), **options))


@pytest.mark.parametrize("jit", [False, True])
def test_train_step_names_the_layer_that_called_not_the_one_that_traced(patient, jit):
    folder, *_ = patient("fit", broken=True, jit=jit)
    op = found(folder)
    assert op["op"] == "Reshape"
    assert op["inner_node"] == "Reshape_1"
    assert op["function"].startswith("__forward_warp")
    assert "bad" in op["path"][-1] and "good" not in op["node"]
    moved, shape = op["inputs"]
    assert moved.shape == (4, 6, 6, 3)
    assert shape.value == [1, 6, 6, 3]
    assert op["kind"] == "InvalidArgumentError"
    assert "432 values, but the requested shape has 108" in op["message"]
    assert op["sources"][-1][2] == "warp"
    # The stack of the cached function is that of its first caller; the call itself was made by the layer's own line.
    assert op["call_sources"][-1][-1][2] == "call"
    assert op["filled"] == []


def test_predict(patient):
    folder, _, out = patient("predict", broken=True)
    assert isinstance(out, Exception)
    op = found(folder)
    assert (op["op"], op["inputs"][1].value) == ("Reshape", [1, 6, 6, 3])


def test_healthy_steps_have_none(patient):
    for folder, *_ in (patient("fit", broken=False), patient("predict", broken=False), patient("evaluate")):
        assert found(folder) is None


def test_loop_body_and_its_round(plain):
    op = found(plain("chunks", specs="open")[0])
    assert op["inner_node"].endswith("fold")
    assert op["iterations"] == [2]
    assert op["inputs"][0].shape == (1, 4)
    assert "while" in op["path"][-1]


def test_branch_in_loop_in_branch(plain):
    op = found(plain("nested_failure", specs="open")[0])
    assert op["inner_node"].endswith("deep")
    assert op["iterations"] == [1]
    assert [("cond" in p, "while" in p.rpartition("/")[2]) for p in op["path"]] == [
        (True, False),
        (True, True),
        (True, False),
    ]


def test_first_of_several_in_program_order(plain):
    for _ in range(3):  # which one TensorFlow names is chance
        assert found(plain("two_failures", specs="open")[0])["inner_node"] == "first"


def test_without_a_hint_the_program_order_is_bisected(plain, patient, monkeypatch):
    from probes.graph import machine

    monkeypatch.setattr(machine.Loaded, "_hints", lambda self, error: [])
    assert found(plain("two_failures", specs="open")[0])["inner_node"] == "first"
    assert found(plain("nested_failure", specs="open")[0])["inner_node"].endswith("deep")
    assert found(patient("fit", broken=True, jit=False)[0])["inner_node"] == "Reshape_1"


def test_a_wrong_hint_is_not_believed(plain, monkeypatch):
    from probes.graph import machine

    monkeypatch.setattr(machine.Loaded, "_hints", lambda self, error: ["MatMul"])
    assert found(plain("two_failures", specs="open")[0])["inner_node"] == "first"


def test_assertion(plain):
    op = found(plain("assertion", specs="open")[0])
    assert op["op"] == "Assert"
    assert "three rows wanted" in op["message"]


def test_another_batch(plain):
    import tensorflow as tf

    folder, _ = plain("chunks", specs=[tf.TensorSpec([None, 4])])
    assert found(folder, batch=6) is None
    assert found(folder, batch=8)["inputs"][0].shape == (2, 4)
    assert found(folder, batch=6, static=True) is None
