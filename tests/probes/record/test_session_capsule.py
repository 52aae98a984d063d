"""A failing `Session.run` can be run again: the fetched part of the graph, what was fed, and the variables."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.probes.record.running import run_program

pytestmark = pytest.mark.slow

PROGRAM = """
import numpy as np
import tensorflow as tf
v1 = tf.compat.v1
with tf.Graph().as_default():
    x = v1.placeholder(tf.float32, [None, 4], name="x")
    w = v1.get_variable("w", initializer=np.arange(12, dtype="f").reshape(4, 3), use_resource=True)
    r = v1.get_variable("r", initializer=np.float32(2.0), use_resource=False)
    h = tf.matmul(x, w) * r
    unused = tf.constant("not fetched", name="unused")
    y = tf.reshape(h, [7, -1], name="fold")
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        before = len(session.graph.get_operations())
        for fetch in ([tf.reduce_sum(y)], {"a": "fold:0"}):
            known = len(session.graph.get_operations())
            try:
                session.run(fetch, {x: np.ones((5, 4), "f")})
            except tf.errors.InvalidArgumentError:
                pass
            assert len(session.graph.get_operations()) == known
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    ran = run_program(tmp_path_factory.mktemp("session"), PROGRAM)
    assert ran.status == 0, ran.stderr
    return ran


def test_each_failing_call_has_a_capsule(ran):
    assert not ran.of("probe-error")
    failures = [e for e in ran.of("failure") if e["during"] == "Session.run"]
    assert [bool(e["capsule"]) for e in failures] == [True, True]
    capsule = json.loads((ran.folder / "capsules" / failures[0]["capsule"] / "capsule.json").read_text())
    kinds = {i["name"]: (i["kind"], i["dtype"], i["shape"]) for i in capsule["inputs"]}
    assert kinds == {
        "x": ("tensor", "float32", [None, 4]),
        "w": ("variable", "resource", []),
        "r": ("tensor", "float32", []),
    }
    assert capsule["python_name"] == "Session.run"


def test_it_fails_again_from_the_capsule_alone_and_runs_at_other_sizes(ran):
    from probes.graph import failing, load, outcome, step

    folder = ran.folder / "capsules" / ran.of("failure")[0]["capsule"]
    program = load.load(folder)
    assert "unused" not in {n.name for n in program.graph.node}
    found = failing.failing_op(step.prepare(program))
    assert (found["op"], found["node"], found["filled"]) == ("Reshape", "fold", [])
    assert [i.shape for i in found["inputs"]] == [(5, 3), (2,)]
    assert found["sources"][-1][0].endswith("program.py")
    told, values = outcome.run_plain(step.prepare(program, batch=7))
    assert told["outcome"] == "passed"
    expected = 7 * 2.0 * np.arange(12, dtype="f").sum()
    np.testing.assert_allclose(values["output 0"], expected)
