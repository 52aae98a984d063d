"""What is noticed of NaN in a run itself: logs, results, weights, and the data once there is a reason to look.

The same program shows what is recorded of its layers for a trace.
"""

import pytest

from tests.probes.record.running import run_program

pytestmark = pytest.mark.slow

PROGRAM = """
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(1)
spoilt = tf.Variable([1.0, float("nan")], name="spoilt")
meant = tf.Variable([float("nan")], trainable=False)
x, y = np.ones((8, 3), "float32"), np.ones((8, 1), "float32")
x[6, 2] = np.nan

class Twice(keras.layers.Layer):
    def __init__(self):
        super().__init__(name="twice")
        self.inner = keras.layers.Dense(4, name="inner")

    def call(self, x):
        return self.inner(x) * 2.0

Twice()(np.ones((5, 3), "float32"))

def model(activation):
    made = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1, activation=activation)], name=activation)
    made.compile(optimizer="sgd", loss="mse")
    return made

print(repr(model("linear").predict(np.ones((4, 3), "float32"), verbose=0).shape))
linear = model("linear")
linear.fit(x, y, batch_size=8, epochs=2, verbose=0)
linear.predict(x, verbose=0)
linear.evaluate(x, y, verbose=0)
for _ in range(3):
    model("tanh").train_on_batch(x, y)
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    ran = run_program(tmp_path_factory.mktemp("numbers"), PROGRAM, env={"XLADOCTOR_CAPTURE": "all"})
    assert ran.status == 0, ran.stderr
    assert not ran.of("probe-error")
    return ran


@pytest.fixture(scope="module")
def ran(program):
    return program.of("not-finite")


def test_each_layer_is_recorded_with_its_lines_shapes_and_parameters(program):
    found = {e["name"]: e for e in program.of("layer")}
    inner, twice = found["inner"], found["twice"]
    assert (inner["cls"], inner["parent"], inner["inputs"], inner["outputs"]) == (
        "Dense", twice["layer"], [[5, 3]], [[5, 4]],
    )  # fmt: skip
    assert (inner["made"]["line"], inner["called"]["line"], inner["parameters"]) == (15, 18, 16)
    assert (twice["made"]["line"], twice["parent"]) == (20, None)
    assert found["linear"]["model"] and found["linear"]["parameters"] == 4


def test_each_call_is_noticed_once(ran):
    assert [(e["what"], e["method"], e["model"]) for e in ran] == [
        ("logs", "fit", "linear"),
        ("result", "predict", "linear"),
        ("logs", "evaluate", "linear"),
        ("logs", "train_on_batch", "tanh"),
        ("weights", "exit", None),
    ]
    assert ran[0]["names"] == {"loss": [1, "nan", "nan"]}
    assert ran[0]["where"]["line"] == 29


def test_the_data_are_looked_at_with_the_place_of_the_first_value(ran):
    x, y = ran[0]["data"]
    assert (x["finite"], x["index"], x["value"], x["count"], x["size"]) == (False, [6, 2], "nan", 1, 24)
    assert (x["rows"], x["columns"]) == ([1, 8], [])
    assert y["finite"] is True


def test_a_variable_that_is_not_trained_may_hold_what_it_likes(ran):
    (name,) = ran[-1]["names"]
    assert "spoilt" in name
