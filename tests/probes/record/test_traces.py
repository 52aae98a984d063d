"""What the recorder leaves to be noticed: the same program prints the same with it and without, to the last frame."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.probes.record.running import PYTHON, run_program

pytestmark = pytest.mark.slow

VERSION = tuple(
    int(n)
    for n in subprocess.run(
        [PYTHON, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True
    ).stdout.split()
)

FILES = {
    "ptycho/__init__.py": "",
    "ptycho/params.py": "cfg = {'N': 8}\n",
    "ptycho/tf_helper.py": """
import tensorflow as tf
def flatten_offsets(offsets):
    return tf.reshape(offsets, [7])
""",
    "ptycho/broken.py": "1 / 0\n",
}

# A message of Keras prints a set.
SAME = {"PYTHONHASHSEED": "1"}

PROGRAM = """
import gc, inspect, os, pickle, sys, threading, traceback, warnings, weakref
import numpy as np
import tensorflow as tf
import keras
from ptycho import params, tf_helper
keras.utils.set_random_seed(1)

def show(name, call, *args):
    try:
        call(*args)
    except BaseException as error:
        print("==", name)
        print("".join(traceback.format_exception(type(error), error, error.__traceback__)))
        print(sorted(k for k in vars(error) if "doctor" in k), b"doctor" in pickle.dumps(error.args))
        return weakref.ref(error) if "tensorflow" in type(error).__module__ else None

@tf.function
def static(x):
    return tf.reshape(x, [7])

@tf.function(input_signature=[tf.TensorSpec([None])])
def dynamic(x):
    return tf.reshape(x, [tf.size(x) // 2, 2])

@tf.function
def outer(x):
    return tf.cond(tf.size(x) > 0, lambda: dynamic(x), lambda: tf.ones([1, 2]))

@tf.function
def place(x):
    return tf_helper.flatten_offsets(x)

def model():
    made = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    made.compile(loss="mse", optimizer="sgd")
    return made

refs = []
refs.append(show("env", lambda: os.environ["PTYCHO_NONE"]))
show("env set", lambda: os.environ.__setitem__("PTYCHO_X", 1))
show("cfg", lambda: params.cfg["none"])
show("cfg pop", lambda: params.cfg.pop("none"))
show("import", lambda: __import__("ptycho.broken"))
refs.append(show("static", static, tf.ones([3])))
refs.append(show("dynamic", dynamic, tf.ones([3])))
refs.append(show("outer", outer, tf.ones([3])))
refs.append(show("place", place, tf.ones([3])))
refs.append(show("place eagerly", tf_helper.flatten_offsets, tf.ones([3])))
show("concrete", lambda: static.get_concrete_function(tf.TensorSpec([3])))
x = np.ones((4, 3), "float32")
show("fit", lambda: model().fit(x, x, verbose=0))
show("compile", lambda: model().compile(nonsense=1))
show("floatx", keras.config.set_floatx, "float99")
model().predict(x, verbose=0)
show("mean", np.mean, [[1, 2], [3]])
show("equal", tf.equal, tf.ones([2]), tf.ones([3]))
show("dataset", lambda: tf.data.Dataset.range(3).batch(2, nonsense=1))
show("batch", lambda: tf.data.Dataset.range(3).batch([[2]]))
show("function", lambda: tf.function(nonsense=1))
with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    bad = tf.reshape(tf.compat.v1.placeholder_with_default(tf.ones([3]), [None]), [7])
    refs.append(show("session", session.run, bad))
for op in outer.get_concrete_function(tf.TensorSpec([None])).graph.get_operations():
    print(op.name, [(f.filename, f.lineno, f.name) for f in op.traceback])

# Nothing is kept alive: a model that was trained and failed, a tf.function, a dataset, an exception.
def lives():
    made, function = model(), tf.function(lambda v: v + 1)
    data = tf.data.Dataset.from_tensor_slices((x, x[:, :2])).batch(2)
    made.fit(data, verbose=0)
    try:
        made.fit(x, x, verbose=0)
    except Exception:
        pass
    function(tf.ones([2]))
    found = [weakref.ref(o) for o in (made, function, data, function.get_concrete_function(tf.ones([2])).graph)]
    return found
refs += lives()
keras.backend.clear_session()
gc.collect()
print("alive", [r is not None and r() is not None for r in refs])
for method in (keras.Model.fit, keras.Model.compile, tf.compat.v1.Session.run):
    print(method.__name__, method.__qualname__, inspect.signature(method), len(inspect.getsource(method)))
# Without TensorFlow's and Keras' own filters, which leave out frames of theirs.
tf.debugging.disable_traceback_filtering()
keras.config.disable_traceback_filtering()
show("raw static", tf.function(lambda x: tf.reshape(x, [7])), tf.ones([3]))
show("raw dynamic", dynamic, tf.ones([3]))
show("raw fit", lambda: model().fit(x, x, verbose=0))
thread = threading.Thread(target=lambda: dynamic(tf.ones([5])), name="mine")
thread.start()
thread.join()
print("weights", [w.tobytes().hex()[:64] for w in model().get_weights()])

class Fails(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        raise ValueError("mine")

class Nested(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        other.fit(x, x[:, :2], verbose=0, callbacks=[Fails()])

os.environ["PTYCHO_PHASE"] = "retried"
for n in range(3):
    show("retried", tf.function(lambda x: tf.reshape(x, [7])), tf.ones([3]))
    show("retried", dynamic, tf.ones([3]))
other = model()
sys.stdout.flush()
model().fit(x, x[:, :2], verbose=0, callbacks=[Nested()])
"""


def shown(text: str) -> list[str]:
    text = re.sub(r"__autograph_generated_file\w+", "__autograph", text)
    text = re.sub(r"0x[0-9a-f]+|^[IWE]\d{4}.*$", "", text, flags=re.MULTILINE)
    return text.splitlines()


@pytest.mark.skipif(VERSION < (3, 11), reason="there a frame that has raised again stays in the traceback")
def test_a_program_prints_the_same_with_the_recorder_and_without(tmp_path):
    """Tracebacks, stacks of operations, sources, what stays alive; and each failure is written down once."""
    plain = run_program(tmp_path, PROGRAM, files=FILES, env=SAME, probes=False)
    watched = run_program(tmp_path, PROGRAM, files=FILES, env=SAME)
    assert (plain.status, watched.status) == (1, 1), watched.stderr
    assert watched.of("probe-error") == []
    assert plain.stderr.endswith("ValueError: mine\n"), "the program came to its end"
    assert shown(watched.stdout) == shown(plain.stdout)
    assert shown(watched.stderr) == shown(plain.stderr)
    alive = watched.stdout.partition("\nalive ")[2].splitlines()[0]
    assert alive.count("False") > 8
    assert "True" not in alive

    (phase,) = [e["seq"] for e in watched.of("setting") if e["value"] == "retried"]
    raised = [e for e in watched.of("failure") if e["state"] == "raised"]
    last = [(e["exception"], e["during"]) for e in raised if e["seq"] > phase]
    assert [name for name, _ in last] == ["ValueError", "InvalidArgumentError"] * 3 + ["ValueError"]
    assert last[-1][1] == "fit"
    uncaught = [e["failure"] for e in watched.of("failure") if e["state"] == "uncaught"]
    assert uncaught[-1] == raised[-1]["failure"]
    assert len(uncaught) == 2, "that of the thread, and that of the program"
