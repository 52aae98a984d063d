"""One op, made again of what TensorFlow said of it."""

from __future__ import annotations

import json

import pytest

from probes.graph.service import Service
from xladoctor.diagnosis.remade import question
from xladoctor.diagnosis.unfinished import unfinished_in

pytestmark = pytest.mark.slow


def ask(**params):
    answer = Service().answer(json.dumps({"id": 1, "op": "remade", **params}))
    return answer["result"] if answer["ok"] else answer["error"]


class Failed:
    """A step of which only the message is known."""

    capsule = None

    def __init__(self, message):
        self.failure = {"message": message}


def refused(make):
    import tensorflow as tf

    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)) as caught:
        tf.function(make, input_signature=[tf.TensorSpec([None, 6])])(tf.ones([2, 6]))
    return str(caught.value)


OPS = {
    "product": lambda tf, x: tf.matmul(x, tf.ones([5, 3])),
    "kernel": lambda tf, x: tf.nn.conv2d(tf.reshape(x, [-1, 1, 2, 3]), tf.ones([1, 1, 4, 2]), [1, 2, 2, 1], "SAME"),
    "join": lambda tf, x: tf.concat([x, tf.ones([2, 5])], 0),
    "reshape": lambda tf, x: tf.reshape(tf.reshape(x, [12]), [4, 2]),
    "axis": lambda tf, x: tf.reduce_sum(x, axis=4),
    "index": lambda tf, x: x[:, :, 7],
    "einsum": lambda tf, x: tf.einsum("ij,jk->ik", x, tf.ones([4, 3])),
}


@pytest.mark.parametrize("name", OPS)
def test_an_op_is_refused_again_in_the_same_words(name):
    import tensorflow as tf

    message = refused(lambda x: OPS[name](tf, x))
    asked = question(Failed(message))
    told = ask(**asked)
    assert told["guessed"] == []
    ours, theirs = unfinished_in(told["error"]["message"]), unfinished_in(message)
    assert theirs.says.endswith(ours.says)
    assert (ours.op, ours.shapes_text) == (theirs.op, theirs.shapes_text)


def test_an_op_that_fits_is_not_refused():
    inputs = [{"shape": [None, 6], "dtype": None, "value": None}, {"shape": [6, 3], "dtype": None, "value": None}]
    assert ask(type="MatMul", attributes={"T": "DT_FLOAT"}, inputs=inputs) == {"error": None, "guessed": []}


@pytest.mark.parametrize(
    ("op", "attributes"),
    [
        ("WriteFile", {}),
        ("NoSuchOp", {}),
        ("MatMul", {"T": "DT_FLOAT", "other": "1"}),
        ("MatMul", {"T": "DT_NONE_SUCH"}),
        ("MatMul", {}),
    ],
)
def test_what_is_not_known_or_may_not_run_is_refused(op, attributes):
    inputs = [{"shape": [2, 6], "dtype": None, "value": None}] * 2
    assert ask(type=op, attributes=attributes, inputs=inputs)["type"] == "Refused"


def given(*shapes):
    return [{"shape": shape, "dtype": "float32", "value": None} for shape in shapes]


def test_an_op_is_run_on_zeros():
    told = ask(type="MatMul", inputs=given([2, 3], [4, 3]), eager=True)
    assert (told["error"]["kind"], told["guessed"]) == ("InvalidArgumentError", [])
    assert ask(type="AddV2", inputs=given([2, 3], [1, 3]), eager=True)["error"] is None
    assert "shape" in ask(type="Pack", inputs=given([2, 3], [4, 3]), eager=True)["error"]["message"]


def test_no_size_is_made_up_and_nothing_is_run_that_values_decide():
    assert ask(type="MatMul", inputs=given([None, 3], [4, 3]), eager=True) == {"error": None, "guessed": [0]}
    assert ask(type="GatherV2", inputs=given([2, 3], [4]), eager=True)["type"] == "Refused"
