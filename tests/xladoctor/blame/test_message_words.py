"""Blame by the words of a message, and by parameters that nothing reads."""

from __future__ import annotations

import textwrap

import pytest

from .programs import blamed

HEAD = """
import keras
import numpy as np
import tensorflow as tf
from keras import layers
from rig import data, net, x
"""


def told(body: str, function: str, message: str, slug: str = "not-xla") -> str:
    """What is said of a program that fails in its last line, in a call of the function."""
    source = HEAD + textwrap.dedent(body).lstrip("\n")
    last = source.strip().splitlines()[-1]
    first = source.index(f"def {function}")
    piece = next(line for line in source[first:].splitlines()[1:] if line.startswith("    return"))
    found = blamed(source, ("<module>", last), (function, piece.strip()), slug=slug, message=message)
    return " ".join(s.reason for s in found.suspects) if found is not None else ""


@pytest.mark.parametrize(("given", "blames"), [("", True), ("persistent=True", False)])
def test_a_tape_that_is_asked_twice(given: str, blames: bool) -> None:
    body = f"""
    def slopes(net, x):
        with tf.GradientTape({given}) as tape:
            u = net(x)
        return tape.gradient(u, x), tape.gradient(u, net.weights)
    out = slopes(net, x)
    """
    message = "A non-persistent GradientTape can only be used to compute one set of gradients"
    assert ("more than one gradient" in told(body, "slopes", message)) is blames


@pytest.mark.parametrize(("line", "blames"), [("u = net(x)", True), ("tape.watch(x); u = net(x)", False)])
def test_a_tape_that_watches_no_input(line: str, blames: bool) -> None:
    body = f"""
    def slope(net, x):
        with tf.GradientTape() as tape:
            {line}
        return tf.square(tape.gradient(u, x))
    out = slope(net, x)
    """
    message = "Attempt to convert a value (None) with an unsupported type to a Tensor."
    assert ("watches variables alone" in told(body, "slope", message)) is blames


@pytest.mark.parametrize(("more", "blames"), [("", True), (".flat_map(lambda w: w.batch(9))", False)])
def test_windows_are_datasets(more: str, blames: bool) -> None:
    body = f"""
    def cut(series):
        return tf.data.Dataset.from_tensor_slices(series).window(9){more}
    out = cut(x).map(lambda w: (w[:-1], w[-1]))
    """
    assert ("datasets of their own" in told(body, "cut", "'_VariantDataset' object is not subscriptable")) is blames


@pytest.mark.parametrize(("line", "blames"), [("", True), ("y.set_shape((8, 8))", False)])
def test_a_wrapped_function_has_no_shape(line: str, blames: bool) -> None:
    body = f"""
    def waves(x):
        y = tf.numpy_function(np.abs, [x], tf.float32)
        {line}
        return y
    out = waves(x)
    """
    message = "as_list() is not defined on an unknown TensorShape."
    assert ("none is set" in told(body, "waves", message)) is blames


@pytest.mark.parametrize(("channels", "blames"), [("", True), (", channels=3", False)])
def test_images_of_any_channels(channels: str, blames: bool) -> None:
    body = f"""
    def read(path):
        return tf.io.decode_png(tf.io.read_file(path){channels})
    out = list(data.map(read).batch(4))
    """
    message = "Cannot batch tensors with different shapes in component 0."
    assert ("as many channels as each file" in told(body, "read", message, "concat-pack-mismatch")) is blames


def test_a_name_that_each_call_gives() -> None:
    body = """
    def tower(i, name):
        return keras.Model(i, layers.Dense(4)(i), name="tower")
    out = keras.Model(x, [tower(x, "one")(x), tower(x, "two")(x)])
    """
    assert "names must differ" in told(body, "tower", 'The name "tower" is used 2 times in the model.')


@pytest.mark.parametrize(("end", "blames"), [("['slope']", True), ("list(extra)", False)])
def test_a_parameter_that_nothing_reads(end: str, blames: bool) -> None:
    body = f"""
    def columns(bands, extra):
        return list(bands) + {end}
    out = tf.zeros([4, len(columns(data, x))]) + tf.zeros([4, 9])
    """
    message = "Incompatible shapes: [4,8] vs. [4,9]"
    assert ("is not used" in told(body, "columns", message, "broadcast-mismatch")) is blames
