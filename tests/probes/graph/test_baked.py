"""Constant inputs that are computed from values: named, and shown to compile again; shapes are none of it."""

from __future__ import annotations

import numpy as np
import pytest

from xladoctor.rules.registry import constant_inputs

pytestmark = pytest.mark.slow


def programs():
    import tensorflow as tf

    weight = tf.Variable(3)
    table = tf.constant([2, 3])

    def tiled(x, n):
        return tf.tile(x, [n, 1])

    def from_data(x, y):
        return tf.reshape(x, tf.stack([tf.cast(y[0], tf.int32), -1]))

    def from_shapes(x, y):
        return tf.reshape(x, [tf.shape(y)[0], -1]) + tf.zeros([tf.shape(y)[0], 1])

    def from_variable(x, y):
        return tf.tile(x, [weight, 1]) + y

    def from_capture(x, y):
        return tf.tile(x, table) + y

    inner = tf.function(tiled, jit_compile=True)

    def calls_inner(x, n):
        return inner(x, n) + inner(x, 2 * n)

    def calls_with_constant(x, n):
        return inner(x, tf.constant(2)) * tf.cast(n, tf.float32)

    x = np.ones((2, 3), "f")
    return {
        "tiled": (tiled, [x, np.int32(2)], True),
        "from_data": (from_data, [x, np.array([2.0, 1.0], "f")], True),
        "from_shapes": (from_shapes, [x, np.ones(2, "f")], True),
        "from_variable": (from_variable, [x, np.float32(1)], True),
        "from_capture": (from_capture, [x, np.float32(1)], True),
        "calls_inner": (calls_inner, [x, np.int32(2)], False),
        "calls_with_constant": (calls_with_constant, [x, np.int32(2)], False),
        "plain": (tiled, [x, np.int32(2)], False),
    }


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """{program: (its capsule, what is baked into it)}"""
    import tensorflow as tf

    from probes.graph import baked, load

    from .capsules import capsule_of

    made = {}
    for name, (program, arguments, jit) in programs().items():
        function = tf.function(program, jit_compile=jit)
        concrete = function.get_concrete_function(*[tf.TensorSpec(a.shape, a.dtype) for a in arguments])
        folder, _ = capsule_of(tmp_path_factory.mktemp(name) / "capsule", concrete, arguments)
        made[name] = folder, baked.baked(load.load(folder), constant_inputs())
    return made


def told(found, name):
    return [(row["op"], row["argument"], [(g["kind"], g["name"]) for g in row["from"]]) for row in found[name][1]]


def test_an_argument_that_sets_a_shape(found):
    assert told(found, "tiled") == [("Tile", "multiples", [("argument", "n")])]
    assert found["tiled"][1][0]["sources"][-1][2] == "tiled"


def test_a_shape_that_is_read_from_the_data(found):
    assert told(found, "from_data") == [("Reshape", "shape", [("argument", "y")])]


def test_a_shape_that_is_read_from_a_variable(found):
    assert [(op, a, k) for op, a, [(k, _)] in told(found, "from_variable")] == [("Tile", "multiples", "variable")]


@pytest.mark.parametrize("name", ["from_shapes", "from_capture", "calls_with_constant", "plain"])
def test_shapes_captures_constants_and_plain_functions_are_none(found, name):
    assert told(found, name) == []


def test_a_compiled_function_within_a_plain_one(found):
    rows = found["calls_inner"][1]
    assert [(row["op"], row["argument"]) for row in rows] == [("Tile", "multiples")] * 2
    assert [row["call_sources"][-1][-1][2] for row in rows] == ["calls_inner"] * 2


def test_another_value_compiles_again_and_another_row_does_not(found):
    from probes.graph import baked, load, step

    def prepared(name):
        return step.prepare(load.load(found[name][0]), calls=False, strict=True)

    again = baked.recompiles(prepared("tiled"), "n")
    assert again["again"] is True, again
    assert again["seconds"][2] > 5 * again["seconds"][1]
    assert baked.recompiles(prepared("tiled"), "x")["again"] is None
