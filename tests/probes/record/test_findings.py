"""What the doctor concludes about settings, from real programs: each finding, and beside it what is none."""

from __future__ import annotations

import json

import pytest

from tests.probes.record.running import Ran, run_program
from xladoctor.diagnosis.order import setting_findings
from xladoctor.diagnosis.timeline import settings
from xladoctor.diagnosis.xla import xla_paths
from xladoctor.recording.evidence import Evidence
from xladoctor.recording.run import read_run

PARAMS = {
    "ptycho/__init__.py": "",
    "ptycho/params.py": """
cfg = {"N": 64, "gridsize": 1, "offset": 4, "use_xla_translate": True}
def get(key):
    return cfg[key]
def set(key, value):
    cfg[key] = value
def ensure_defaults(**defaults):
    for key, value in defaults.items():
        if cfg.get(key) is None:
            cfg[key] = value
    return {key: cfg[key] for key in cfg}
""",
}


def found(ran: Ran, slug: str | None = None):
    assert ran.status == 0, ran.stderr
    assert ran.of("probe-error") == []
    (ran.folder / "run.json").write_text(
        json.dumps({"schema": "xladoctor.run/1", "outcome": {"state": "exited", "code": 0}})
    )
    return [f for f in setting_findings(read_run(ran.folder)) if slug in (None, f.slug)]


def line_of(program: str, text: str) -> int:
    return next(i for i, line in enumerate(program.splitlines(), 1) if text in line)


def test_an_accessor_that_touches_every_key_decides_nothing(tmp_path):
    program = """
from ptycho import params
params.ensure_defaults(N=64, gridsize=1, offset=4)
for key in ("N", "gridsize", "offset", "use_xla_translate"):
    print(key, params.get(key))
def size():
    return params.get("N") + (params.get("gridsize") - 1) * params.get("offset")
size()
params.cfg["use_xla_translate"] = False
"""
    ran = run_program(tmp_path, program, files=PARAMS)
    (finding,) = found(ran)
    assert (finding.slug, finding.title) == ("dead-switch", "params.cfg use_xla_translate was written and never read")
    reads = [(s.key, s.location.line) for s in settings(read_run(ran.folder)) if s.action == "read"]
    assert reads == [("N", 7), ("gridsize", 7), ("offset", 7)]


def test_flags_as_they_are_written(tmp_path):
    ran = run_program(
        tmp_path,
        "import os\nos.environ['TF_XLA_FLAGS'] = '--xla_dump_to=/tmp'\n",
        env={
            "XLA_FLAGS": "--xla_gpu_autotune_level=1 --xla_gpu_autotune_level=2 –xla_dump_to=/tmp --tf_xla_auto_jit=2"
        },
    )
    said = [(f.slug, f.level, f.message) for f in found(ran)]
    assert [(slug, level) for slug, level, _ in said] == [("flag-ineffective", "warning")] + [
        ("flag-error", "warning")
    ] * 3
    assert "--xla_gpu_autotune_level is given twice, '1' and then '2': the last one wins" in said[0][2]
    assert "typographic dash (U+2013)" in said[1][2]
    assert "'--tf_xla_auto_jit=2' in XLA_FLAGS: this is a flag of TF_XLA_FLAGS" in said[2][2]
    assert "'--xla_dump_to=/tmp' in TF_XLA_FLAGS: this is a flag of XLA_FLAGS" in said[3][2]


PROGRAM = """
import os
import tensorflow as tf
from ptycho import params

@tf.function
def translate(x):                     # traced under gridsize 1, and never again
    return x * params.get("gridsize")

@tf.function
def follows(x, gridsize):             # gets its setting as an argument
    return x * gridsize

@tf.function
def reads_again(x, mode):
    return x * params.get("gridsize")

x = tf.constant(1.0)
translate(x)
reads_again(x, 1)
params.cfg["gridsize"] = 2            # too late for translate
translate(x)
follows(x, params.get("gridsize"))
reads_again(x, 2)                     # traced again: sees it

@tf.function
def by_shape(x, scale):
    return x * scale

@tf.function
def by_value(x, step):
    return x * step

@tf.function(reduce_retracing=True)
def few(x):
    return x

for n in range(1, 8):
    by_shape(tf.ones([n, 3]), 2.0)
    by_value(x, n)
    few(tf.ones([n]))
for n in range(9):
    tf.function(lambda v: v + 1.0)(x)   # made anew

@tf.function(jit_compile=True)
def compiled(x):
    return x + x

os.environ["XLA_FLAGS"] = ""          # in time
tf.function(lambda v: v, jit_compile=True).get_concrete_function(x)
os.environ["XLA_FLAGS"] = "--xla_dump_to="   # in time: nothing was compiled yet
compiled(x)
os.environ["XLA_FLAGS"] = ""          # too late for XLA

def factory(value):
    before = params.get("offset")
    params.cfg["offset"] = value      # put back before anything is traced
    step = tf.function(lambda v: v + params.get("offset"))
    params.cfg["offset"] = before
    return step

def traces_inside(value):
    before = params.get("N")
    params.cfg["N"] = value           # all right: traced under it
    step = tf.function(lambda v: v + params.get("N"))
    step(x)
    params.cfg["N"] = before
    return step

factory(8)(x)
traces_inside(128)(x)
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return run_program(tmp_path_factory.mktemp("program"), PROGRAM, files=PARAMS)


@pytest.mark.slow
def test_a_graph_that_keeps_an_old_setting(program):
    (finding,) = found(program, "baked-in-setting")
    assert finding.location.line == line_of(PROGRAM, "too late for translate")
    assert finding.details == {"function": "translate", "setting": "params.cfg gridsize", "kept": 1, "now": 2}
    assert "was called again and was not traced again: it still uses 1" in finding.message
    assert len(finding.evidence) == 4


@pytest.mark.slow
def test_retracing_names_the_argument_and_what_of_it_changed(program):
    said = {f.details["function"]: f for f in found(program, "retracing")}
    assert set(said) == {"by_shape", "by_value", "<lambda>"}
    assert said["by_shape"].details["differs"] == {"x": "shape"}
    assert said["by_value"].details["differs"] == {"step": "value"}
    assert "the shape of 'x' differed (float32(1, 3), float32(2, 3), float32(3, 3), float32(4, 3), ...)" in (
        said["by_shape"].message
    )
    assert "the value of 'step' differed (1, 2, 3, 4, ...)" in said["by_value"].message
    assert [r.title for r in said["by_value"].remedies] == ["Pass step as a tensor"]
    made = said["<lambda>"]
    assert made.details["made"] == 9
    assert made.location.line == line_of(PROGRAM, "made anew")


@pytest.mark.slow
def test_xla_flags_after_the_first_compilation(program):
    (finding,) = (f for f in found(program, "setting-too-late") if "XLA_FLAGS" in f.title)
    assert finding.location.line == line_of(PROGRAM, "too late for XLA")
    assert "compiled, the first function to be compiled, was traced" in finding.message


@pytest.mark.slow
def test_a_temporary_override_that_has_set_nothing(program):
    (finding,) = found(program, "dead-switch")
    assert finding.location.line == line_of(PROGRAM, "put back before anything is traced")
    assert "Nothing read it in between, so it had no effect." in finding.message


MODELS = """
import keras, numpy as np, tensorflow as tf
from ptycho import params

class Scale(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.times = params.get("gridsize")
    def call(self, x):
        return x * self.times

class Late(keras.layers.Layer):
    def call(self, x):
        return x * params.get("offset")

def build(layer, name):
    inputs = keras.Input((3,))
    return keras.Model(inputs, layer()(inputs), name=name)

def with_offset(value):
    before = params.get("offset")
    params.cfg["offset"] = value                 # what the factory believes
    model = build(Late, "overridden")
    params.cfg["offset"] = before
    return model

old = build(Scale, "old")
late = with_offset(1)
params.cfg["gridsize"] = 2                       # after old was built
new = build(Scale, "new")
x = np.ones((2, 3), "float32")

@tf.function(jit_compile=True)
def halved(x):
    return x / 2.0

class Halves(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(3)
    def call(self, x):
        return self.dense(halved(x))

Halves()(x)                                      # Keras 3 traces `halved` where it works out shapes
print(float(old.predict(x, verbose=0)[0, 0]), float(new.predict(x, verbose=0)[0, 0]),
      float(late.predict(x, verbose=0)[0, 0]))
"""


@pytest.mark.slow
def test_models_that_keep_or_lose_a_setting(tmp_path):
    ran = run_program(tmp_path, MODELS, files=PARAMS)
    assert ran.stdout == "1.0 2.0 4.0\n", "what the findings say is what happened"
    (halved,) = (e for e in ran.of("trace") if e["python_name"] == "halved")
    assert halved["capsule"] and halved["parent"] is None and [e["kept"] for e in ran.of("first-call")] == [True]
    (kept,) = found(ran, "baked-in-setting")
    assert kept.location.line == line_of(MODELS, "after old was built")
    assert kept.details == {"model": "old", "setting": "params.cfg gridsize", "kept": 1, "now": 2}
    if ran.keras_2:
        # AutoGraph runs a copy of `call` there, so that its reads are known by the line of whoever called it.
        return
    (lost,) = found(ran, "setting-too-late")
    assert lost.location.line == line_of(MODELS, "what the factory believes")
    assert "What was built in between read 1, what was traced afterwards 4." in lost.message
    assert {f.slug for f in found(ran)} == {"baked-in-setting", "setting-too-late"}


CLUSTERED = """
import os, sys
import tensorflow as tf
v1 = tf.compat.v1
if os.environ.get("USE_XLA_COMPILE") == "1":
    tf.config.optimizer.set_jit("autoclustering")
config = v1.ConfigProto()
config.graph_options.optimizer_options.global_jit_level = v1.OptimizerOptions.ON_2
with tf.Graph().as_default(), v1.Session(config=config) as session:
    x = v1.placeholder(tf.float32, [4, 4])
    y = x
    for _ in range(4):
        y = tf.tanh(y @ y) + y
    session.run(y, {x: [[1.0] * 4] * 4})
os.environ["TF_XLA_FLAGS"] = "--tf_xla_auto_jit=2"
"""


@pytest.mark.slow
@pytest.mark.parametrize("flags", [None, "--tf_xla_cpu_global_jit --tf_xla_auto_jit=0"])
def test_auto_clustering_and_whether_it_took_effect(tmp_path, flags):
    from xladoctor.logs import read_log

    env = {"USE_XLA_COMPILE": "1", "TF_CPP_MIN_LOG_LEVEL": "0", **({"TF_XLA_FLAGS": flags} if flags else {})}
    ran = run_program(tmp_path, CLUSTERED, env=env)
    assert ran.status == 0, ran.stderr
    log = tmp_path / "stderr.log"
    log.write_text(ran.stderr)
    recording = read_run(ran.folder)
    paths = {p.mechanism: p for p in xla_paths(Evidence(source="", log=read_log([log]), run=recording))}
    by_set_jit, by_session = paths["tf.config.optimizer.set_jit"], paths["ConfigProto.global_jit_level"]
    assert by_set_jit.governed_by == ("env USE_XLA_COMPILE = '1'",)
    assert (by_session.requested, by_session.resolved) == ("ON_2", "on")
    compiled = "Compiled cluster using XLA" in ran.stderr
    assert compiled is bool(flags), "auto_jit=0 does not switch it off"
    assert by_session.effective is by_set_jit.effective is compiled
    if not flags:
        assert by_session.note == "on a CPU nothing is clustered without --tf_xla_cpu_global_jit in TF_XLA_FLAGS"
    else:
        assert "switches off neither set_jit nor a session's global_jit_level" in paths["TF_XLA_FLAGS"].note
    (late,) = [f for f in setting_findings(recording) if f.slug == "setting-too-late"]
    assert "after the first session was made. TensorFlow reads it once, when it makes its devices" in late.message
