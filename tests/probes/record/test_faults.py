"""A probe that fails inside never reaches the target: every hook is made to fail, and the target runs on as before."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from tests.probes.record.running import ROOT, Ran, run_program

pytestmark = pytest.mark.slow

# The hooks run once a process, or only where TensorFlow is loaded: covered by the runs in which all of them fail.
ONCE = {
    "finish", "first op", "graph of a read", "trace arguments", "first use", "auto", "decorator", "_hook_variables",
    "_hook_layers", "_hook_trainable", "numbers at exit", "calls", "gradients at exit", "tape", "_hook_direct",
}  # fmt: skip
# Only in a rehearsal, which is no run of the user's.
REHEARSED = {
    "batches", "files", "loop", "loss", "nan", "nan eager", "nan graph", "nan look", "nan loss", "phase", "rehearsal",
    "twins",
}  # fmt: skip
# Once a function, or of the first functions, failures, operands and eager steps only: where all hooks fail from the
# start they fail, too; spoiled later, they do not come again.
ONCE_A_FUNCTION = {
    "caught",
    "trail",
    "first call",
    "first calls",
    "operands",
    "policy",
    "policy taken",
    "equalities",
    "dataset loop",
    "loop rows",
    "kept value",
    "sample",
    "sums",
}
# In the children of multiprocessing: a test of their own.
CHILD = {"child process", "child failed"}
# Only where a block of a program is recorded: test_block_faults.py.
BLOCK = {"block failed", "call left", "call under way", "unseen"}

FILES = {
    "ptycho/__init__.py": "",
    "ptycho/params.py": """
cfg = {"N": 8, "use_xla_translate": True, "gridsize": 2}
def get(key):
    return cfg[key]
""",
    "ptycho/tf_helper.py": """
import tensorflow as tf
from . import params
def should_use_xla():
    return params.get("use_xla_translate")
def flatten_offsets(offsets):
    return tf.reshape(tf.transpose(offsets[:, 0], [0, 2, 1]), [-1, 2])
""",
}

WORKLOAD = """
import contextlib, io, json, os, sys, threading
INJECT, WHEN, ERROR = None, "before", RuntimeError
SEEN, FAILED = set(), set()
guard = sys.modules.get("_xladoctor_probes.record.guard")
if guard is not None:
    def spoil(name):
        real = getattr(guard.Guard, name)
        def spoiled(self, hook, fn, *args, **kwargs):
            SEEN.add(hook)
            inner = fn
            if INJECT == hook or INJECT == "*":
                def fn(*a, **k):
                    if WHEN == "after":
                        inner(*a, **k)
                    FAILED.add(hook)
                    raise ERROR("injected into " + hook)
            return real(self, hook, fn, *args, **kwargs)
        setattr(guard.Guard, name, spoiled)
    spoil("run")
    spoil("part")
if "--all" in sys.argv:
    INJECT = "*"
if "--broken-sink" in sys.argv and guard is not None:
    def write(self, kind, **fields):
        raise OSError("no space left")
    sys.modules["_xladoctor_probes.record.sink"].Sink.write = write
if "--late" in sys.argv:
    WHEN = "after"

import numpy as np
import tensorflow as tf
import keras
from ptycho import params, tf_helper

def settings():
    out = []
    os.environ["USE_XLA_COMPILE"] = "1"
    out.append(os.environ.get("USE_XLA_COMPILE"))
    del os.environ["USE_XLA_COMPILE"]
    out.append(os.environ.get("USE_XLA_COMPILE"))
    params.cfg["gridsize"] = 2
    out += [params.get("gridsize"), tf_helper.should_use_xla()]
    tf.config.optimizer.set_jit(False)
    keras.utils.set_random_seed(1)
    keras.backend.set_floatx("float32")
    return out

def functions():
    out = []

    @tf.function
    def flat(x):
        return tf_helper.flatten_offsets(x) * params.get("gridsize")

    @tf.function(jit_compile=False)
    def bad(x):
        return tf.reshape(x, [7])

    factor = 2.0

    @tf.function
    def scaled(x):
        return x * factor

    out.append(float(scaled(tf.constant(1.0))))
    factor = 3.0
    out.append(float(scaled(tf.constant(1.0))))
    out.append(flat(tf.ones([2, 1, 2, 4])).numpy().tolist())
    params.cfg["gridsize"] = 2
    out.append(flat(tf.ones([2, 1, 2, 4])).numpy().tolist())
    out.append(tf_helper.flatten_offsets(tf.ones([1, 1, 2, 4])).shape.as_list())
    for shape in ([3], None):
        try:
            bad.get_concrete_function(tf.TensorSpec(shape)) if shape is None else bad(tf.ones(shape))
        except Exception as error:
            out.append(type(error).__name__)
    return out

def compiled():
    @tf.function(jit_compile=True)
    def square(v):
        return tf.reduce_sum(v * v)

    variable = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        value = square(variable)
    return tape.gradient(value, variable).numpy().tolist()

def steps():
    weight, rows = tf.Variable(tf.ones([3])), np.arange(60, dtype="float32").reshape(20, 3)

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.linalg.matvec(x, weight) - 1.0) ** 2)
        weight.assign_sub(1e-4 * tape.gradient(loss, weight))
        return loss

    out = [float(np.round(step(rows), 3)) for _ in range(3)]
    return [*out, keras.layers.Dense(2, kernel_initializer="ones")(rows[:2]).numpy().tolist()]

def sessions():
    out = []
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        out.append(float(session.run(tf.constant(2.0) + 1)))
        try:
            session.run(tf.reshape(tf.compat.v1.placeholder_with_default(tf.ones([3]), [None]), [7]))
        except Exception as error:
            out.append(type(error).__name__)
    return out

def arrays():
    return [
        (tf.ones([3, 1]) - tf.ones([3])).shape.as_list(),
        tf.random.stateless_uniform([2], [1, 2]).shape.as_list(),
        float(np.arange(-2, 2, dtype="int32").mean()),
        len(keras.utils.timeseries_dataset_from_array(np.arange(80.0), np.arange(80.0), 2)),
        "program.py" in os.listdir(),
    ]

class OneForAll(keras.losses.Loss):
    def call(self, t, p):
        return keras.ops.mean(t - p)

def model():
    keras.utils.set_random_seed(1)
    made = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    made.compile(loss="mse", optimizer="sgd")
    return made, np.ones((4, 3), "float32")

def saving():
    made, x = model()
    made.save_weights("made.weights.h5")
    made.load_weights("made.weights.h5")
    tf.train.Checkpoint().restore(None)
    return [w.round(5).tolist() for w in made.get_weights()]

def predictions():
    made, x = model()
    out = [made.predict(x, verbose=0).round(5).tolist(), made.predict_on_batch(x).shape, made(x).shape.as_list()]
    out.append(float(OneForAll()(np.ones(2, "float32"), np.zeros(2, "float32"), sample_weight=np.ones(2, "float32"))))
    return [*out, float(np.full((4, 4), 2.0).mean()), float(np.sum(np.full((4, 4), 2.0)))]

def training():
    made, x = model()
    keras.layers.Dropout(0.1)
    made.layers[0].trainable = True
    made.optimizer.lr = 0.1
    made.fit(tf.data.Dataset.from_tensor_slices((x, x[:, :2])).cache().batch(2), epochs=2, verbose=0)
    return [w.round(5).tolist() for w in made.get_weights()]

def callbacks():
    made, x = model()
    tf.nn.sigmoid_cross_entropy_with_logits(tf.ones([1]), tf.ones([1]))
    made.fit(x, x[:, :2], verbose=0, callbacks=[keras.callbacks.EarlyStopping(monitor="val_loss")])
    return [w.round(5).tolist() for w in made.get_weights()]

def batches():
    made, x = model()
    out = [float(np.round(made.evaluate(x, x[:, :2], verbose=0), 5))]
    out.append(float(np.round(made.train_on_batch(x, x[:, :2]), 5)))
    out.append(float(np.round(made.test_on_batch(x, x[:, :2]), 5)))
    try:
        made.fit(x, x[:3], verbose=0)
    except Exception as error:
        out.append(type(error).__name__)
    return out

def gradients():
    used, unused = tf.Variable(1.0), tf.Variable(1.0)
    optimizer = keras.optimizers.SGD(0.1)
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = 2.0 * used + tf.round(unused)
        found = tape.gradient(loss, [used, unused])
        optimizer.apply_gradients([(g, v) for g, v in zip(found, [used, unused])])
    optimizer.learning_rate = 0.05
    holder = tf.Module()
    holder.weight = tf.Variable(1.0)
    holder.weight = holder.weight - 0.5
    return [float(np.round(used.numpy(), 5)), float(unused.numpy()), found[1] is None, float(holder.weight)]

def errors():
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:
            raise ValueError("mine")
        except ValueError as error:
            sys.excepthook(type(error), error, error.__traceback__)
        thread = threading.Thread(target=lambda: 1 / 0, name="worker")
        thread.start()
        thread.join()
    return [line for line in said.getvalue().splitlines() if line.startswith(("ValueError", "ZeroDivisionError"))]

PARTS = (
    settings, errors, arrays, saving, sessions, gradients, steps, compiled, functions, predictions, batches, callbacks,
    training,
)

def work(parts=PARTS):
    return {part.__name__: json.loads(json.dumps(part())) for part in parts}

def quietly(hook, part):
    global INJECT
    INJECT = hook
    FAILED.clear()
    try:
        return part()
    finally:
        INJECT = "*" if "--all" in sys.argv else None
"""

# A hook is made to fail in two of the parts of the work in which it is called, the quickest that there are: in the runs
# below every hook fails in every part.
SINGLY = (
    WORKLOAD
    + """
expected, met = {}, {}
for part in PARTS:
    SEEN.clear()
    expected |= work([part])
    for hook in SEEN:
        met.setdefault(hook, []).append(part)
hooks = sorted(h for h in met if not h.startswith(("import ", "_hook")) and h != "first op")
wrong = {}
for hook in hooks:
    failed = 0
    for part in met[hook]:
        result = json.loads(json.dumps(quietly(hook, part)))
        if result != expected[part.__name__]:
            wrong[hook] = result
        failed += bool(FAILED)
        if failed == 2:
            break
interrupted = []
for ERROR in (KeyboardInterrupt, SystemExit):
    for hook in ("env read", "cfg", "place in", "trace", "fit begin"):
        try:
            for part in met[hook]:
                quietly(hook, part)
        except BaseException as error:
            interrupted.append(type(error).__name__)
print(json.dumps({"expected": expected, "wrong": wrong, "seen": hooks, "interrupted": interrupted}))
"""
)
TOGETHER = WORKLOAD + "\nprint(json.dumps({'expected': work(), 'seen': sorted(SEEN)}))\n"


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    ran = run_program(tmp_path_factory.mktemp("plain"), TOGETHER, files=FILES, probes=False)
    assert ran.status == 0, ran.stderr
    return answer(ran)["expected"]


@pytest.fixture(scope="module")
def singly(tmp_path_factory):
    ran = run_program(tmp_path_factory.mktemp("singly"), SINGLY, files=FILES, env={"XLADOCTOR_CAPTURE": "all"})
    assert ran.status == 0, ran.stderr
    return ran


def answer(ran: Ran):
    return json.loads(ran.stdout.splitlines()[-1])


def hooks_in_the_code() -> set[str]:
    """Every name that is given to `guard.run` or `guard.part`, with * for what stands between braces."""
    found = set()
    for file in sorted((Path(ROOT) / "probes" / "record").glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in ("run", "part")
                and node.args
            ):
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    found.add(first.value)
                elif isinstance(first, ast.JoinedStr):
                    found.add("".join(p.value if isinstance(p, ast.Constant) else "*" for p in first.values))
    return found


def test_every_hook_that_is_in_the_code_is_put_to_the_test(singly, tmp_path):
    seen = set(answer(singly)["seen"]) | ONCE
    assert len(seen) > 25
    # Of an import the hook runs before the program has begun to spoil them one by one: covered by the runs below.
    apart = REHEARSED | ONCE_A_FUNCTION | CHILD | BLOCK
    asked = {p: re.escape(p).replace(r"\*", ".*") for p in hooks_in_the_code() - apart if not p.startswith("import ")}
    missing = [p for p, expression in asked.items() if not any(re.fullmatch(expression, hook) for hook in seen)]
    assert missing == [], "no test makes these hooks fail"


def test_a_hook_that_fails_leaves_the_target_as_it_was_and_says_so(singly, plain):
    said = answer(singly)
    assert said["expected"] == plain
    assert said["wrong"] == {}
    reported = {e["hook"]: e["error"] for e in singly.of("probe-error")}
    assert set(said["seen"]) - ONCE_A_FUNCTION <= set(reported)
    assert not {hook: error for hook, error in reported.items() if "injected into" not in error}


def test_an_interrupt_belongs_to_the_target(singly):
    assert answer(singly)["interrupted"] == ["KeyboardInterrupt"] * 5 + ["SystemExit"] * 5


@pytest.mark.parametrize("how", ["--all", "--all --late", "--broken-sink"])
def test_with_all_of_them_failing_from_the_start(tmp_path, plain, how):
    ran = run_program(tmp_path, TOGETHER, files=FILES, arguments=how.split(), env={"XLADOCTOR_CAPTURE": "all"})
    assert ran.status == 0, ran.stderr
    assert answer(ran)["expected"] == plain
    if how == "--all":
        hooks = {e["hook"] for e in ran.of("probe-error")}
        assert {"import tensorflow", "import ptycho.params", "import ptycho.tf_helper"} <= hooks
    elif how == "--all --late":
        hooks = {e["hook"] for e in ran.of("probe-error")}
        assert {"import tensorflow", "_hook_devices", "_hook_traces", "first op"} <= hooks


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_a_child_of_multiprocessing_runs_on_where_its_hooks_fail(tmp_path, way):
    program = f"""
import multiprocessing, sys
guard = sys.modules.get("_xladoctor_probes.record.guard")
if guard is not None:
    real = guard.Guard.run
    def spoiled(self, hook, fn, *args, **kwargs):
        def fails(*a, **k):
            raise RuntimeError("injected into " + hook)
        return real(self, hook, fails if hook.startswith("child") else fn, *args, **kwargs)
    guard.Guard.run = spoiled
def work(n):
    print("in the child", n, flush=True)
    if n:
        raise ValueError(n)
if __name__ == "__main__":
    context = multiprocessing.get_context({way!r})
    for n in (0, 1):
        child = context.Process(target=work, args=(n,))
        child.start()
        child.join()
        print(child.exitcode, flush=True)
"""
    ran = run_program(tmp_path, program)
    assert (ran.status, ran.stdout.split()) == (0, ["in", "the", "child", "0", "0", "in", "the", "child", "1", "1"])
    assert {e["hook"] for e in ran.of("probe-error")} >= {"child process"}
    assert "injected" not in ran.stderr
