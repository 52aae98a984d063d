"""The rehearsal that looks for the first NaN. Infinities that are meant come first in this program: it passes them."""

import json

import pytest

from tests.probes.record.running import run_program

pytestmark = pytest.mark.slow

PROGRAM = """
import numpy as np
import tensorflow as tf

best = tf.Variable(tf.fill([2], -np.inf))
w = tf.Variable([1.0, 0.5])

@tf.function
def masked(x):
    scores = tf.where(x > 0.0, x, float("-inf"))
    best.assign(tf.maximum(best, scores))
    return tf.nn.softmax(scores)

print(masked(tf.constant([1.0, -1.0])).numpy())

def branch(z):
    return tf.where(z > 0.0, tf.math.log(z), tf.zeros_like(z))

@tf.function(jit_compile=True)
def loss_of(x):
    return tf.reduce_mean(tf.square(branch(x * w)))

for step in range(3):
    with tf.GradientTape() as tape:
        loss = loss_of(tf.constant([2.0 - step, 3.0]))
    w.assign_sub(0.01 * tape.gradient(loss, w))
    print("loss", float(loss))
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    env = {"XLADOCTOR_REHEARSE": json.dumps({"hunt": {"nan": True}}), "XLADOCTOR_CAPTURE": "none"}
    return run_program(tmp_path_factory.mktemp("hunt"), PROGRAM, env=env)


@pytest.fixture(scope="module")
def found(ran):
    assert not ran.of("probe-error")
    (event,) = [e for e in ran.of("rehearsal") if "nan" in e]
    return event["nan"]


def test_the_op_is_named_with_the_value_and_the_line_of_the_forward_pass(found):
    assert (found["op"], found["value"], found["index"], found["through_gradient"]) == ("Log", "-inf", [0], True)
    assert found["inputs"][0]["at"] == 0.0
    assert [f["line"] for f in found["frames"]][:2] == [17, 21]


def test_it_ends_at_the_step_in_which_the_weight_is_spoilt(ran, found):
    assert (found["reached"], found["run"]) == ("variable", 3)
    assert ran.stdout.count("loss") == 2


def test_the_rehearsal_says_that_it_was_stopped(ran):
    assert ran.status == 0
    assert any(e.get("stopped") == "nan" for e in ran.of("rehearsal"))


CHECKED = """
import sys
import numpy as np
import tensorflow as tf

x = np.array([[1.0], [4.0], [sys.argv[1:] and 2.0 or np.nan]], "float32")

@tf.function
def step(x):
    ratio = (x - 2.0) / tf.nn.relu(x - 2.0)
    return tf.debugging.check_numerics(tf.reduce_mean(ratio), "loss of the step")

for batch in tf.data.Dataset.from_tensor_slices(x).batch(3):
    step(batch)
"""


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [([], {"source": "data"}), (["finite"], {"op": "RealDiv", "reached": "check"})],
    ids=["data", "op"],
)
def test_a_check_that_raises_leads_to_what_it_was_given(tmp_path, arguments, wanted):
    env = {"XLADOCTOR_REHEARSE": json.dumps({"hunt": {"nan": True}}), "XLADOCTOR_CAPTURE": "none"}
    ran = run_program(tmp_path, CHECKED, arguments=arguments, env=env)
    assert not ran.of("probe-error")
    (event,) = [e for e in ran.of("rehearsal") if "nan" in e]
    assert {k: event["nan"].get(k) for k in wanted} == wanted
