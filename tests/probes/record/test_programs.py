"""Failures and capsules in all kinds of programs: each ends in its own way, and what is needed is there."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from tests.probes.record.running import read_events, run_program, target_environment

pytestmark = pytest.mark.slow

FUNCTIONS = """
import os, sys, threading
import numpy as np
import tensorflow as tf

@tf.function(input_signature=[tf.TensorSpec([None, 3])])
def pairs(x):
    return tf.reshape(x, [-1, 2, 3])

@tf.function
def never_built(x):
    doubled = x * 2.0
    return tf.reshape(doubled, [7])

@tf.function
def given_a_variable(x, weight):
    return tf.reshape(x * weight, [7])

@tf.custom_gradient
def odd(x):
    def grad(upstream):
        return tf.reshape(upstream, [5])
    return x + 0.0, grad

@tf.function
def step(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(odd(x))
    return tape.gradient(y, x)

try:
    given_a_variable(tf.ones([3, 2]), tf.Variable([1.0, 2.0]))
except Exception as error:
    print(type(error).__name__)
pairs(tf.ones([4, 3]))
for function, x in ((pairs, tf.constant(np.arange(9, dtype="float32").reshape(3, 3))),
                    (never_built, tf.ones([3, 2])), (step, tf.ones([3]))):
    try:
        function(x)
    except Exception as error:
        print(type(error).__name__)
try:
    try:
        pairs(tf.ones([5, 3]))
    except tf.errors.InvalidArgumentError as error:
        raise RuntimeError("the step failed") from error
except RuntimeError as error:
    print(error)
thread = threading.Thread(target=lambda: pairs(tf.ones([1, 3])), name="loader")
thread.start()
thread.join()
with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    x = tf.compat.v1.placeholder(tf.float32, [None, None], name="x")
    y = tf.reshape(x, [7], name="y")
    try:
        session.run([y], {x: np.ones((2, 3))})
    except Exception as error:
        print(type(error).__name__)
pid = os.fork()
if pid == 0:
    os.environ["TF_XLA_FLAGS"] = "--in-the-child"
    os._exit(0)
os.waitpid(pid, 0)
try:
    pairs(tf.ones([7, 3]))
finally:
    sys.stdout.flush()
    os._exit(9)
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    ran = run_program(tmp_path_factory.mktemp("functions"), FUNCTIONS)
    assert ran.status == 9, ran.stderr
    assert ran.of("probe-error") == []
    return ran


def raised(ran, during):
    return [e for e in ran.of("failure") if e["state"] == "raised" and e["during"] == during]


def test_the_exact_values_of_a_plain_function(ran):
    first = raised(ran, "pairs")[0]
    folder = ran.folder / "capsules" / first["capsule"]
    recipe = json.loads((folder / "recipe.json").read_text())
    assert recipe["data"] == "exact"
    with np.load(folder / "values.npz") as values:
        assert np.array_equal(values["input:0"], np.arange(9, dtype="float32").reshape(3, 3))
    names = {t["name"]: t["shape"] for f in first["frames"] if f["user"] for t in f["tensors"]}
    assert names["x"] == [3, 3]


@pytest.mark.parametrize("name", ["never_built", "step", "given_a_variable"])
def test_a_failure_while_tracing_leaves_the_graph_as_far_as_it_came(ran, name):
    (failure,) = raised(ran, name)
    assert failure["capsule"] is None
    folder = ran.folder / "capsules" / failure["partial"]
    capsule = json.loads((folder / "capsule.json").read_text())
    assert (capsule["complete"], capsule["outputs"]) == (False, [])
    import gzip

    from tensorflow.core.framework.graph_pb2 import GraphDef

    graph = GraphDef.FromString(gzip.decompress((folder / "graph.pb.gz").read_bytes()))
    wanted = {"never_built": "Mul", "step": "AddV2", "given_a_variable": "Mul"}[name]
    assert wanted in {n.op for n in graph.node}
    given = [(i["name"], i["kind"]) for i in capsule["inputs"]]
    assert given == ([("x", "tensor"), ("weight", "variable")] if name == "given_a_variable" else [("x", "tensor")])
    if name == "never_built":
        assert failure["frames"][-1]["function"].endswith("never_built") or any(
            f["function"].endswith("never_built") for f in failure["frames"]
        )


def test_an_exception_raised_again_as_another_is_still_the_first_one_too(ran):
    second = raised(ran, "pairs")[1]
    assert second["exception"] == "InvalidArgumentError"


def test_threads_sessions_and_forks(ran):
    assert "loader" in {e["thread"] for e in raised(ran, "pairs")} or any("loader" in str(e) for e in ran.of("failure"))
    (session,) = raised(ran, "Session.run")
    assert session["fetches"] == [{"tensor": "y:0", "shape": [7], "dtype": "float32"}]
    assert session["feeds"][0]["tensor"] == "x:0"
    assert session["feeds"][0]["fed"]["shape"] == [2, 3]
    assert ran.settings("TF_XLA_FLAGS", "write") == [("write", "--in-the-child")]
    assert len(list(ran.folder.glob("events-*.jsonl"))) == 2


def test_a_failure_before_os_exit_is_written(ran):
    last = raised(ran, "pairs")[-1]
    assert "7" in last["message"] or last["capsule"]
    assert not any(e["kind"] == "end" for e in ran.events), "nobody told the interpreter"


def test_pytest_and_console_scripts_as_targets(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "test_x.py").write_text(
        "import tensorflow as tf\n"
        "@tf.function\ndef bad(x):\n    return tf.reshape(x, [tf.shape(x)[0], 7])\n"
        "def test_it():\n    bad(tf.ones([2, 3]))\n"
    )
    for command in ([sys.executable, "-m", "pytest", "-q", "test_x.py"], [sys.executable.replace("python", "pytest")]):
        folder = tmp_path / f"run{len(command)}"
        folder.mkdir()
        done = subprocess.run(command, cwd=project, env=target_environment(folder), capture_output=True, text=True,
                              timeout=200, check=False)  # fmt: skip
        assert done.returncode == 1, done.stdout + done.stderr
        failures = [e for e in read_events(folder) if e["kind"] == "failure" and e["state"] == "raised"]
        assert [f["exception"] for f in failures] == ["InvalidArgumentError"] or failures[0][
            "exception"
        ] == "ValueError"
        if len(command) == 1:
            break


def test_an_eager_model_has_no_capsule_but_shapes_at_its_places(tmp_path):
    from tests.probes.record import foreign

    program = """
import numpy as np
import tensorflow as tf
from ptycho.model import create_compiled_model
model = create_compiled_model(2, 16)
model.run_eagerly = True
model.predict([np.ones((3, 16, 16, 4), "float32"), np.zeros((3, 1, 2, 4), "float32")], verbose=0)
"""
    ran = run_program(tmp_path, program, files=foreign.FILES)
    assert ran.status == 0, ran.stderr
    (begin,) = (e for e in ran.of("call") if e["phase"] == "begin")
    (end,) = (e for e in ran.of("call") if e["phase"] == "end")
    assert (begin["run_eagerly"], end["capsule"], end["rows_out"]) == (True, None, [3])
    assert begin["policies"] == ["float32"]
    eager = [
        e for e in ran.of("place") if e["graph"] is None and e["phase"] == "out" and e["seq"] > begin["seq"]
        and e["place"].endswith("ReassemblePatchesLayer.call")
    ]  # fmt: skip
    assert [e["tensors"][0]["shape"] for e in eager] == [[3, foreign.PADDED, foreign.PADDED, 1]]
