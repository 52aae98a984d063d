"""Python values that graphs keep, and callbacks that wait for nothing: recorded in one run, and reported with lines."""

from __future__ import annotations

import json

import pytest

from tests.probes.record.running import PYTHON, run_program
from xladoctor.recording import mark
from xladoctor.saved import scan_run

pytestmark = pytest.mark.slow

PROGRAM = """
import dataclasses
import numpy as np
import tensorflow as tf
import keras

x = tf.ones((4, 3))


@dataclasses.dataclass
class Config:
    rate: float = 0.5


CONFIG, SETTINGS = Config(), {"scale": 2.0}
warmup, verbose, traces, history = True, True, 0, []
mask = np.ones(3, "float32")
kept = tf.Variable(1.0)


@tf.function
def reader(x):
    global traces
    traces += 1
    history.append(x.shape)
    if verbose:
        tf.print(tf.shape(x), output_stream="file:///dev/null")
    y = tf.reduce_sum(x) * CONFIG.rate  # config
    y = helper(y) * kept
    if warmup:  # flag
        y = y * 0.0
    return y + tf.reduce_sum(x * mask)  # array


def helper(y):
    return y / SETTINGS["scale"]  # entry


def maker():
    gamma = 1.0

    @tf.function
    def inner(x):
        return tf.reduce_sum(x) * (1.0 + gamma)  # closure

    def change(value):
        nonlocal gamma
        gamma = value

    return inner, change


class Agent:
    def __init__(self):
        self.eps, self.count, self.calls = 1.0, 0, 0

    @property
    def scaled(self):
        return 0.5 * self.eps  # property

    @tf.function
    def act(self, x):
        self.calls += 1
        self.count += 1  # counter
        return tf.reduce_sum(x) * self.scaled * 0.9 ** self.count


@tf.function
def by_argument(x, w):
    return x * w


def fresh(rate):
    @tf.function
    def made(x):
        return x * rate

    return made


inner, change = maker()
agent = Agent()
for epoch in range(4):
    CONFIG.rate *= 0.5  # write
    SETTINGS["scale"] += 1.0
    warmup, verbose = epoch < 2, epoch < 1
    mask[epoch % 3] = 0.0
    kept.assign(float(epoch))
    change(1.0 / (epoch + 1))
    agent.eps *= 0.9
    for f in (reader, inner, agent.act, fresh(CONFIG.rate)):
        f(x)
    by_argument(x, CONFIG.rate)


class Noise(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.level, self.unused = 0.25, 0

    def call(self, x):
        return x + self.level  # layer


class Loss(keras.losses.Loss):
    weight = 0.0

    def __init__(self):
        super().__init__()
        self.power = 0.75

    def call(self, y, p):
        return tf.reduce_mean((y - p) ** 2, axis=-1) * self.power  # loss


class Change(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        noise.level = noise.level / 2
        noise.unused += 1
        loss.power += 0.5
        logs["val_score"] = 1.0


noise, loss = Noise(), Loss()
model = keras.Sequential([keras.Input((3,)), noise, keras.layers.Dense(1)], name="net")
model.compile("sgd", loss)
rows, y = np.ones((16, 3), "float32"), np.ones((16, 1), "float32")
callbacks = [
    Change(),
    keras.callbacks.EarlyStopping(patience=3),  # early
    keras.callbacks.ModelCheckpoint("best.keras", "val_mae", save_best_only=True, mode="min"),  # checkpoint
    keras.callbacks.ModelCheckpoint("each.keras", save_freq=1000),
    keras.callbacks.EarlyStopping("val_score", mode="max", patience=9),
    keras.callbacks.ReduceLROnPlateau("loss"),
]
model.fit(rows, y, batch_size=8, epochs=3, verbose=0, callbacks=callbacks)
model.fit(rows, y, epochs=1, verbose=0, validation_data=(rows, y), callbacks=keras.callbacks.EarlyStopping())
model.fit(rows, y, epochs=1, verbose=0, validation_data=(rows, y), validation_freq=2,
          callbacks=keras.callbacks.EarlyStopping())
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    ran = run_program(tmp_path_factory.mktemp("kept"), PROGRAM)
    assert ran.status == 0, ran.stderr[-2000:]
    assert not ran.of("probe-error")
    return ran


@pytest.fixture(scope="module")
def diagnosis(ran):
    program = ran.folder.parent / "project" / "program.py"
    outcome = {"state": "exited", "code": 0, "probes": "recorded"}
    run = {"schema": "xladoctor.run/1", "command": [PYTHON, str(program)], "pid": 7, "outcome": outcome, "started": 4e9}
    (ran.folder / "run.json").write_text(json.dumps(run))
    mark.sign(ran.folder)
    return scan_run(ran.folder)


@pytest.fixture(scope="module")
def findings(diagnosis):
    """What is said of the run: {text of the mark at the line: finding}."""
    lines = PROGRAM.splitlines()
    slugs = ("baked-in-setting", "dead-switch")
    found = [f for f in diagnosis.findings if f.slug in slugs]
    return {lines[f.location.line - 1].partition("  # ")[2]: f for f in found}


def test_each_value_that_a_graph_keeps_is_reported_and_no_other(findings):
    kept = {mark: f.level for mark, f in findings.items() if f.slug == "baked-in-setting"}
    marks = ("config", "flag", "array", "entry", "closure", "property", "counter", "layer", "loss")
    assert kept == dict.fromkeys(marks, "warning")


@pytest.mark.parametrize("mark", ["config", "entry", "layer", "loss"])
def test_a_constant_of_the_old_value_in_the_graph_confirms_it(findings, mark):
    assert findings[mark].status == "confirmed"


@pytest.mark.parametrize("mark", ["flag", "array", "closure", "property", "counter"])
def test_without_such_a_constant_it_is_likely_only(findings, mark):
    assert findings[mark].status == "untested"


def test_it_says_both_values_and_the_line_that_wrote(findings):
    found = findings["config"]
    write = PROGRAM.splitlines().index("    CONFIG.rate *= 0.5  # write") + 1
    assert (found.details["kept"], found.details["now"]) == ("0.25", "0.125")
    assert [w.rpartition(":")[2] for w in found.details["written"]] == [str(write)]
    assert found.title == "reader keeps CONFIG.rate = 0.25 from when it was traced"


def test_a_callback_that_waits_for_nothing_is_reported_at_its_own_line(findings):
    idle = {mark: f.details["wanted"] for mark, f in findings.items() if f.slug == "dead-switch"}
    assert idle == {"early": "val_loss", "checkpoint": "val_mae"}
    assert "`learning_rate`, `loss`, `val_score`" in findings["early"].message


def test_what_was_compared_is_named(diagnosis):
    checks = [(c.what, c.function, c.result, c.location and c.location.line) for c in diagnosis.checked]
    kept = {name: result for what, name, result, _ in checks if what == "kept-values"}
    assert {"reader", "inner", "act"} < set(kept) and set(kept.values()) == {"diverges"}
    fits = [n for n, line in enumerate(PROGRAM.splitlines(), 1) if line.startswith("model.fit")]
    waiting = [(result, line) for what, _, result, line in checks if what == "callbacks"]
    # Of the third fit the validation was not due: nothing is known of its callback.
    assert waiting == [("diverges", fits[0]), ("agrees", fits[1])]


def test_nothing_of_the_program_is_held(tmp_path):
    """The recorder must not keep alive what the program lets go."""
    source = """
import gc, weakref
import tensorflow as tf

class Agent:
    def __init__(self):
        self.rate, self.mask = 1.0, tf.ones((3,))

    def step(self, x):
        return x * self.rate * self.mask

agent = Agent()
step = tf.function(agent.step)
for n in range(3):
    agent.rate += 1.0
    agent.mask = tf.fill((3,), float(n))
    step(tf.ones((3,)))
gone = weakref.ref(agent), weakref.ref(agent.mask)
del agent, step
gc.collect()
print([g() is None for g in gone])
"""
    ran = run_program(tmp_path, source)
    assert ran.stdout.strip() == "[True, True]", ran.stderr[-2000:]
