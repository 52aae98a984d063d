"""When TensorFlow reads its flags, and who asked for auto-clustering. Each program is a process of its own."""

from __future__ import annotations

import pytest

from tests.probes.record.running import run_program

pytestmark = pytest.mark.slow


def events(ran, kind):
    assert ran.status == 0, ran.stderr
    assert ran.of("probe-error") == []
    return ran.of(kind)


@pytest.mark.parametrize(
    ("by", "line"),
    [
        ("operation", "tf.constant(1)"),
        ("devices", "tf.config.list_physical_devices()"),
        ("session", "tf.compat.v1.Session(graph=tf.Graph())"),
    ],
)
def test_the_flags_are_read_when_devices_are_made_or_listed(tmp_path, by, line):
    """Shown by a flag that ends the process where it is read: before that line the program is alive, after it not."""
    program = (
        "import tensorflow as tf\ntf.function(lambda x: x)\nprint('alive', flush=True)\n" + line + "\nprint('dead')\n"
    )
    killed = run_program(tmp_path / "killed", program, env={"TF_XLA_FLAGS": "--tf_xla_no_such_flag=1"})
    assert killed.status != 0
    assert killed.stdout == "alive\n"
    (first,) = events(run_program(tmp_path / "well", program), "first-op")
    assert (first["by"], first["where"]["line"]) == (by, 4)
    assert "CPU" in first["devices"]


def test_auto_clustering_of_a_session_and_of_set_jit(tmp_path):
    ran = run_program(
        tmp_path,
        """
import tensorflow as tf
v1 = tf.compat.v1
tf.config.optimizer.set_jit("autoclustering")
tf.config.optimizer.set_jit(False)
config = v1.ConfigProto()
config.graph_options.optimizer_options.global_jit_level = v1.OptimizerOptions.ON_1
graph = tf.Graph()
with graph.as_default():
    x = v1.placeholder(tf.float32, [None])
    y = x + 1
    with v1.Session(config=config) as session:
        print(session.run(y, {x: [1.0]}))
v1.Session(graph=graph)
print(tf.config.optimizer.get_jit())
""",
    )
    paths = [(e["mechanism"], e["requested"], e["resolved"], e["where"]["line"]) for e in events(ran, "xla-path")]
    assert paths == [
        ("tf.config.optimizer.set_jit", "True", "True", 4),
        ("tf.config.optimizer.set_jit", "False", "False", 5),
        ("ConfigProto.global_jit_level", "ON_1", "True", 12),
        ("ConfigProto.global_jit_level", "OFF", "False", 14),  # set_jit gives its word to sessions too
    ]
    assert ran.stdout == "[2.]\n\n" or ran.stdout.splitlines()[0] == "[2.]"


def test_keras_says_what_auto_resolved_to_and_what_it_would_be_elsewhere(tmp_path):
    ran = run_program(
        tmp_path,
        """
import keras, numpy as np
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
never = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
model.compile(loss="mse")
never.predict(np.ones((2, 3), "float32"), verbose=0)
never.predict(np.ones((2, 3), "float32"), verbose=0)
model.compile(loss="mse", jit_compile=True)
""",
    )
    paths = [
        (e["mechanism"], e["requested"], e["resolved"], e["elsewhere"], e["where"]["line"])
        for e in events(ran, "xla-path")
        if e["mechanism"].startswith("keras")
    ]
    auto, elsewhere = ("None", None) if ran.keras_2 else ("'auto'", "True")
    assert paths == [
        ("keras compile(jit_compile=)", auto, "False", elsewhere, 5),
        ("keras first use", auto, "False", elsewhere, 6),
        ("keras compile(jit_compile=)", "True", "True", None, 8),
    ]


def test_to_record_makes_tensorflow_read_nothing_earlier(tmp_path):
    """The probes once asked for the devices when a model was compiled; that alone makes TensorFlow read its flags."""
    program = """
import keras
model = keras.Sequential([keras.Input((3,)), keras.layers.Activation("relu")])
model.compile(loss="mse", optimizer=None, jit_compile=True)
from tensorflow.python.eager import context
print(context.context_safe() is not None and context.context()._physical_devices is not None)
"""
    assert run_program(tmp_path, program, probes=False).stdout == run_program(tmp_path, program).stdout


def test_a_function_called_again_after_a_setting_changed(tmp_path):
    ran = run_program(
        tmp_path,
        """
import os
import tensorflow as tf
@tf.function
def step(x, n):
    return x * (2 if os.environ.get("PTYCHO_MODE") == "two" else 1)
x = tf.constant(1.0)
step(x, 1)
step(x, 1)
os.environ["PTYCHO_MODE"] = "two"
step(x, 1)
step(x, 1)
os.environ["PTYCHO_MODE"] = "three"
step(x, 2)
""",
    )
    traces = events(ran, "trace")
    assert [t["owner"] for t in traces] == [1, 1]
    assert [t["arguments"]["n"] for t in traces] == ["Literal[1]", "Literal[2]"]
    assert [t["defined"]["line"] for t in traces] == [4, 4]
    assert [e["calls"] for e in events(ran, "end")] == [{"1": 5}]
    (use,) = ran.of("use")
    assert (use["owner"], use["graphs"], use["where"]["line"]) == (1, [traces[0]["graph"]], 11)
    reads = [e for e in ran.of("setting") if e["action"] == "read" and e["key"] == "PTYCHO_MODE"]
    assert [r["graph"] for r in reads] == [t["graph"] for t in traces]
