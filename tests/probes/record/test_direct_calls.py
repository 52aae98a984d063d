"""Models that a program calls itself: what its functions hold, which rows were predicted, and that nothing changes."""

import pytest

from tests.probes.record.running import run_program

PROGRAM = """
import numpy as np
import tensorflow as tf
import keras

keras.utils.set_random_seed(1)
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
outer = keras.Sequential([keras.Input((3,)), model])
x = np.random.default_rng(0).normal(size=(90, 3)).astype("float32")
y = model(x).numpy()[:, 0] + 0.1
order = np.random.default_rng(1).permutation(90)


def table(rows, truth):
    guess = outer(rows).numpy()  # line 15
    return np.sum((guess - truth) ** 2)  # line 16


def by_batches(rows, truth, size):
    out = np.zeros(len(rows), "float32")
    for i in range(0, len(rows), size):
        part = rows[order[i : i + size]]
        out[i : i + size] = model(part).numpy()[:, 0]  # line 23
    return np.mean(np.abs(out - truth))  # line 24


def put_back(rows, truth):
    out = np.zeros(len(rows), "float32")
    for i in range(0, len(rows), 40):
        out[order[i : i + 40]] = model(rows[order[i : i + 40]]).numpy()[:, 0]
    return np.mean(np.abs(out - truth))


@tf.function
def traced(rows):
    return model(rows)


def by_function(rows, truth):
    guess = traced(tf.constant(rows[order])).numpy()[:, 0]
    return np.mean(np.abs(guess - truth))  # line 41


def steps(rows, truth):
    secret = 7
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(rows)[:, 0] - truth)
    return tape.gradient(loss, model.trainable_variables)


def eager(rows, truth):
    one, other = outer(rows) - truth, outer(rows) - outer(rows)[:, 0]  # line 52
    return one.shape, other.shape, (tf.constant(rows[:, :1]) - truth).shape


class Mixin(keras.layers.Layer):
    def __call__(self, *args, **kwargs):
        return "of the program"


class Mixed(keras.Model, Mixin):
    def call(self, rows):
        return rows


print(eager(x, tf.constant(y)))
print(round(float(table(x, y)), 2), round(float(by_function(x, y)), 4), [g.shape for g in steps(x, y)])
print(WHICH)
try:
    model(np.ones((2, 5), "float32"))
except Exception as error:
    import traceback
    print(type(error).__name__, "xladoctor" in traceback.format_exc())
print(keras.Model.__call__.__name__, Mixed()(np.ones((2, 3))), isinstance(model(keras.Input((3,))), keras.KerasTensor))
"""
RIGHT = "round(float(put_back(x, y)), 4)"
WRONG = "round(float(by_batches(x, y + 0, 40)), 4)"


@pytest.mark.slow
@pytest.mark.parametrize(("which", "lines"), [(RIGHT, set()), (WRONG, {24})])
def test_models_that_a_program_calls_itself(tmp_path, which, lines):
    program = PROGRAM.replace("WHICH", which)
    ran, plain = run_program(tmp_path, program), run_program(tmp_path / "plain", program, probes=False)
    assert (ran.status, ran.stdout) == (0, plain.stdout), ran.stderr
    assert not ran.of("probe-error")
    direct = {e["where"]["line"]: (e["calls"], e["shape"]) for e in ran.of("direct")}
    assert direct[15] == (1, [90, 1])
    assert lines == set() or direct[23] == (3, [40, 1])
    names = {e["function"]: e["names"] for e in ran.of("names")}
    assert names["table"]["guess"]["shape"] == [90, 1] and names["table"]["truth"]["shape"] == [90]
    tables = [(e["where"]["line"], e["of"], e["pairs"]) for e in ran.of("table")]
    assert tables == [(16, "sum", True)]
    # Of the result of a model and data; not of two results, and not of data alone.
    meetings = [(e["where"]["line"], sum(e["predicted"])) for e in ran.of("meeting")]
    assert meetings == [(52, 1), (53, 0)]
    scores = {e["where"]["line"]: e["what"] for e in ran.of("score")}
    # Where the program compares the same labels with their own predictions, too, an order may be meant.
    assert scores == ({} if which == RIGHT else {41: "apart", 24: "apart"})


COMPILED = """
import numpy as np
import tensorflow as tf

net = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])

@tf.function
def forward(x):
    return net(x)

def predict(x, size):
    out = np.zeros(len(x), "float32")
    for i in range(len(x) // size):
        out[i * size:(i + 1) * size] = forward(tf.constant(x[i * size:(i + 1) * size]))[:, 0]
    return out

predict(np.ones((70, 3), "float32"), 16)
"""


@pytest.mark.slow
def test_what_a_function_holds_that_calls_a_compiled_one_is_noted(tmp_path):
    ran = run_program(tmp_path, COMPILED)
    assert ran.status == 0 and not ran.of("probe-error"), ran.stderr
    held = [e["names"] for e in ran.of("names") if e["function"] == "predict"]
    assert held and held[-1]["x"]["shape"] == [70, 3] and held[-1]["size"]["value"] == 16
