"""What layers document of the arguments of their call."""

from __future__ import annotations

import pytest

from .programs import blamed

STATES = """
import tensorflow as tf
source = tf.keras.Input((12, 6))
target = tf.keras.Input((8, 3))
start = tf.keras.layers.Dense(24)(source)
{change}
hidden = tf.keras.layers.LSTM(24, return_sequences=True)(target, initial_state=[start, start])
model = tf.keras.Model([source, target], hidden)
model.fit([given, goal], goal)
"""
MESSAGE = "Incompatible shapes: [8,96] vs. [8,12,96]"


def test_a_state_with_an_axis_of_time() -> None:
    source = STATES.format(change="")
    found = blamed(source, ("<module>", "model.fit"), dims=(8, 12), message=MESSAGE, slug="broadcast-mismatch")
    assert found is not None and found.constraint is not None
    assert found.constraint.text.startswith("`initial_state` of LSTM does not fit:")
    assert [s.code for s in found.suspects[:1]] == ["start = tf.keras.layers.Dense(24)(source)"]
    assert found.suspects[0].reason == "It gives 3 axes, but `initial_state` of LSTM is documented with 2."


def test_another_failure_of_the_model_is_not_explained_by_a_state() -> None:
    source = STATES.format(change="")
    found = blamed(source, ("<module>", "model.fit"), message="float32 and int32", slug="dtype-mismatch")
    assert found is None or found.constraint is None


def test_a_line_that_adds_the_axis() -> None:
    source = """
    import tensorflow as tf
    source = tf.keras.Input((6,))
    target = tf.keras.Input((8, 3))
    start = tf.keras.layers.Dense(24)(source)
    timed = tf.keras.layers.RepeatVector(12)(start)
    scaled = tf.keras.layers.Activation("tanh")(timed)
    hidden = tf.keras.layers.GRU(24)(target, initial_state=scaled)
    model = tf.keras.Model([source, target], hidden)
    model.fit([given, goal], goal)
    """
    found = blamed(source, ("<module>", "model.fit"), dims=(8, 12), message=MESSAGE, slug="broadcast-mismatch")
    assert found is not None and found.suspects[0].code == "timed = tf.keras.layers.RepeatVector(12)(start)"


@pytest.mark.parametrize("change", ["start = tf.keras.layers.GlobalAveragePooling1D()(start)", "start = load(start)"])
def test_a_state_that_fits_or_is_not_known(change: str) -> None:
    source = STATES.format(change=change)
    found = blamed(source, ("<module>", "model.fit"), dims=(8, 12), message=MESSAGE, slug="broadcast-mismatch")
    assert found is None or found.constraint is None


MASKED = """
import tensorflow as tf
x = tf.keras.Input((10, 16))
attend = tf.keras.layers.MultiHeadAttention(4, 4)
{mask}
seen = attend(x, x, attention_mask=mask)
"""


@pytest.mark.parametrize(
    ("mask", "broken"),
    [
        ("mask = tf.keras.Input((10,))", "3 axes"),
        ("mask = tf.ones([32, 1, 12])", "12"),
        ("mask = tf.ones([1, 1, 9, 10])", "9"),
        ("mask = tf.keras.Input((1, 10))", ""),
        ("mask = tf.ones([10, 10])", ""),
        ("mask = tf.ones([8, 1, 1, 10])", ""),
        ("mask = tf.ones([8, 4, 10, 10])", ""),
        ("mask = load()", ""),
    ],
)
def test_a_mask_of_attention(mask: str, broken: str) -> None:
    source = MASKED.format(mask=mask)
    found = blamed(source, ("<module>", "seen ="), message="no", slug="broadcast-mismatch")
    constraint = found.constraint.text if found is not None and found.constraint is not None else ""
    assert bool(constraint) == bool(broken) and broken in constraint, constraint
